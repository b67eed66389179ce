//! How the program is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|said| said == value);
    // A hook is a new process before every prompt. A program that may lie anywhere has twelve thousand addresses
    // to mend before it begins, and every page that is mended is copied: a fifth of what starting costs.
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
