//! What a command means by a name, by an option and by a variable, and what shows that a lack is over; of no data set.

use super::worlds::{Case, wrong};
use super::*;

/// A name is one thing to one program and another to the next.
#[rustfmt::skip]
const THINGS: &[Case] = &[
    ("orectl get cluster ore-west", 1, "Error: cluster \"ore-west\" not found", &[], "aws s3 ls s3://heap --profile ore-west", false),
    ("orectl get cluster ore-west", 1, "Error: cluster \"ore-west\" not found", &[], "tinctl drain --cluster ore-west", true),
    ("gcloud container clusters describe ore-west --zone=z1", 1, "ERROR: code=404, message=Not found: projects/p/zones/z1/clusters/ore-west.", &[], "gcloud container clusters resize ore-west --zone=z1 --num-nodes=3", true),
    ("kubectl -n mill get deploy/loom", 1, "Error from server (NotFound): deployments.apps \"loom\" not found", &[], "kubectl -n mill get svc/loom", false),
    ("kubectl -n mill get deploy loom", 1, "Error from server (NotFound): deployments.apps \"loom\" not found", &[], "kubectl -n mill get configmap loom -o yaml", false),
    ("kubectl -n mill get deploy loom", 1, "Error from server (NotFound): deployments.apps \"loom\" not found", &[], "kubectl -n mill rollout restart deployment/loom", true),
    ("docker network inspect loom-net", 1, "Error response from daemon: network loom-net not found", &[], "docker run --network loom-net alpine true", true),
    ("docker network inspect loom-net", 1, "Error response from daemon: network loom-net not found", &[], "docker volume inspect loom-net", false),
    ("poetry run sync-ore", 255, "botocore.exceptions.ProfileNotFound: The config profile (ore-ro) could not be found", &[], "aws --profile ore-ro s3 ls", true),
    ("poetry run sync-ore", 255, "botocore.exceptions.ProfileNotFound: The config profile (ore-ro) could not be found", &[], "AWS_PROFILE=ore-ro aws s3 ls", true),
    ("poetry run sync-ore", 255, "botocore.exceptions.ProfileNotFound: The config profile (ore-ro) could not be found", &[], "aws --profile ore-rw s3 ls", false),
    ("poetry run sync-ore", 255, "botocore.exceptions.ProfileNotFound: The config profile (ore-ro) could not be found", &[("aws configure list-profiles", "default\nore-ro\n")], "poetry run sync-ore", false),
    ("poetry run sync-ore", 255, "botocore.exceptions.ProfileNotFound: The config profile (ore-ro) could not be found", &[("aws configure list-profiles", "default\n")], "poetry run sync-ore", true),
    ("docker run --network loom-net alpine true", 125, "docker: Error response from daemon: network loom-net not found.", &[("docker network ls", "NETWORK ID   NAME      DRIVER\n1f0a   loom-net   bridge")], "docker run --network loom-net alpine true", false),
    ("mvn flyway:migrate -Ddb=jdbc:mysql://h:3310/loom_it", 1, "Unable to obtain connection for user 'spinner': Unknown database 'loom_it'", &[], "mysql -h h -P 3310 -u spinner loom -e 'select 1'", false),
    ("mysql -h h -P 3310 -u spinner loom_it -e 'select 1'", 1, "ERROR 1049 (42000): Unknown database 'loom_it'", &[("mysql -h h -P 3310 -u spinner <<'SQL'\nCREATE DATABASE loom_it;\nSQL", "")], "mysql -h h -P 3310 -u spinner loom_it -e 'select 1'", false),
    ("helm upgrade loom charts/loom --kube-context ore -n mill", 1, "Error: namespaces \"mill\" not found", &[], "kubectl --context ore -n mill get pods", true),
    ("helm upgrade loom charts/loom --kube-context ore -n mill", 1, "Error: namespaces \"mill\" not found", &[], "kubectl --context tin -n mill get pods", false),
    ("git tag r7.1", 128, "fatal: tag 'r7.1' already exists", &[], "git tag -a r7.1 -m 'seven one'", true),
    ("git tag r7.1", 128, "fatal: tag 'r7.1' already exists", &[], "git tag --force r7.1", false),
    ("git tag r7.1", 128, "fatal: tag 'r7.1' already exists", &[], "git tag r7.2", false),
    ("git tag r7.1", 128, "fatal: tag 'r7.1' already exists", &[], "git push origin r7.1", false),
    ("git tag r7.1", 128, "fatal: tag 'r7.1' already exists", &[("git tag -d r7.1", "Deleted tag 'r7.1'")], "git tag -a r7.1 -m x", false),
    ("docker run -d --name vat redis:7", 125, "docker: Error response from daemon: Conflict. The container name \"/vat\" is already in use by container \"9c\".", &[], "docker create --name vat redis:7", true),
    ("docker run -d --name vat redis:7", 125, "docker: Error response from daemon: Conflict. The container name \"/vat\" is already in use by container \"9c\".", &[], "docker start vat", false),
    ("docker run -d --name vat redis:7", 125, "docker: Error response from daemon: Conflict. The container name \"/vat\" is already in use by container \"9c\".", &[("docker rm -f vat", "vat")], "docker create --name vat redis:7", false),
];

/// An option or a variable more can be the way round.
#[rustfmt::skip]
const ROUND: &[Case] = &[
    ("helm upgrade loom charts/loom -n mill", 1, "Error: UPGRADE FAILED: \"loom\" has no deployed releases", &[], "helm upgrade --install loom charts/loom -n mill", false),
    ("helm upgrade --install loom charts/loom -n mill", 1, "Error: create: failed to create: namespaces \"mill\" not found", &[], "helm upgrade --install loom charts/loom -n mill --create-namespace", false),
    ("JAVA_HOME=/opt/j8 ./gradlew jar", 1, "ERROR: JAVA_HOME is set to an invalid directory: /opt/j8", &[], "JAVA_HOME=/opt/j21 ./gradlew jar", false),
    ("./gradlew jar", 1, "ERROR: JAVA_HOME is set to an invalid directory: /opt/j8", &[], "mvn -q package", true),
    ("./gradlew jar", 1, "ERROR: JAVA_HOME is set to an invalid directory: /opt/j8", &[], "npm test", false),
    ("mvn dependency:get -Dartifact=a:ore:2.1", 1, "Could not find artifact a:ore:jar:2.1 in central", &[], "mvn -U dependency:get -Dartifact=a:ore:2.1", false),
    ("terraform workspace select mill", 1, "Workspace \"mill\" doesn't exist.\n\nYou can create this workspace with the \"new\" subcommand or include the \"-or-create\" flag with the \"select\" subcommand.", &[], "terraform workspace select -or-create mill", false),
    ("loomctl push bale", 1, "error: no such shed: bale (use --any-shed to push anywhere)", &[], "loomctl push bale --any-shed", false),
];

/// Services, machinery and tasks that another program met.
#[rustfmt::skip]
const OTHERS: &[Case] = &[
    ("./gradlew :mill:it", 1, "java.lang.IllegalStateException: Could not find a valid Docker environment.", &[], "docker compose up -d ore", true),
    ("./gradlew :mill:it", 1, "java.lang.IllegalStateException: Could not find a valid Docker environment.", &[("docker ps", "")], "./gradlew :mill:it", false),
    ("make image", 2, "ERROR: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\nmake: *** [image] Error 1", &[], "docker build -t ore .", true),
    ("make image", 2, "Sending build context to Docker daemon  2.1kB\nfailed: exit 3", &[], "docker ps", false),
    ("git commit -m spin", 1, "FAILURE: Build failed with an exception.\n* What went wrong:\nExecution failed for task ':mill:spin'.", &[], "./gradlew :mill:spin", true),
    ("git commit -m spin", 1, "FAILURE: Build failed with an exception.\n* What went wrong:\nExecution failed for task ':mill:spin'.", &[], "./gradlew :shed:spin", false),
    ("npx playwright test a.spec.ts", 1, "browserType.launch: Executable doesn't exist at /c/webkit\nPlease run: npx playwright install", &[], "npx playwright codegen http://localhost:9", true),
    ("npx playwright test a.spec.ts", 1, "browserType.launch: Executable doesn't exist at /c/webkit\nPlease run: npx playwright install", &[], "npx playwright install webkit", false),
    ("npx playwright test a.spec.ts", 1, "browserType.launch: Executable doesn't exist at /c/webkit\nPlease run: npx playwright install", &[], "npx playwright show-report", false),
    ("DATABASE_URL=postgresql://m@localhost:5599/ore npx prisma migrate deploy", 1, "P1001: Can't reach database server at `localhost:5599`", &[], "DATABASE_URL=postgresql://m@localhost:5599/ore npx prisma db seed", true),
    ("DATABASE_URL=postgresql://m@localhost:5599/ore npx prisma migrate status", 1, "P1001: Can't reach database server at `localhost:5599`", &[], "DATABASE_URL=postgresql://m@localhost:5599/ore npx prisma migrate deploy", true),
    ("ninja -C vats", 1, "ninja: fatal: chdir to 'vats' - No such file or directory", &[], "(cd vats && meson test)", true),
    ("ninja -C vats", 1, "ninja: fatal: chdir to 'vats' - No such file or directory", &[], "meson setup vats", false),
];

#[test]
fn a_name_is_the_same_only_where_it_is_of_the_same_kind() {
    assert_eq!(wrong(THINGS).join("\n"), "");
}

#[test]
fn what_an_option_or_a_variable_goes_round_is_not_met_again() {
    assert_eq!(wrong(ROUND).join("\n"), "");
}

#[test]
fn what_one_program_met_stops_others_of_its_kind() {
    assert_eq!(wrong(OTHERS).join("\n"), "");
}

#[test]
fn where_the_shell_is_has_one_name() {
    for (first, second) in [
        (
            "flyway -configFiles=db/fly.toml migrate",
            "flyway migrate -configFiles=\"$PWD/db/fly.toml\" -color=never",
        ),
        ("cd mill && spin ./a.cfg", "cd mill && spin $(pwd)/a.cfg"),
        ("spin mill/a.cfg", "spin \"$(git rev-parse --show-toplevel)/mill/a.cfg\""),
    ] {
        assert!(same(first, second), "{first}  and  {second}");
    }
    assert!(!same("spin a.cfg", "cd mill && spin $PWD/a.cfg"));
}

#[test]
fn a_failure_without_a_lack_rests_on_files_alone() {
    assert!(
        failed("spin mill", "Mill.swift:3: error: value of type 'Vat' has no member 'eta'").rests_on_files()
    );
    assert!(!failed("psql ore", "FATAL: database \"ore\" does not exist").rests_on_files());
}
