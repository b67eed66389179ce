//! Any title makes a slug that is a safe path; any path is refused or is one.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rawko_core::Slug;

fuzz_target!(|text: &str| {
    let slug = Slug::from_title(text);
    assert!(slug.as_str().len() <= 80);
    assert_eq!(Slug::parse(slug.as_str()).as_ref(), Ok(&slug));
    assert_eq!(Slug::from_title(slug.as_str()), slug);
    let second = slug.numbered(2);
    assert!(second != slug && second.as_str().len() <= 80);
    assert_eq!(Slug::parse(second.as_str()), Ok(second));
    if let Ok(slug) = Slug::parse(text) {
        let path = std::path::Path::new(slug.as_str());
        assert!(path.components().all(|part| matches!(part, std::path::Component::Normal(_))));
        let second = slug.numbered(u32::MAX);
        assert!(second != slug && Slug::parse(second.as_str()).is_ok(), "{second}");
    }
});
