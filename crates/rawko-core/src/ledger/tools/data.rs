//! Programs that talk to databases and queues.

use super::{PLAIN, Reads, Tool};

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["psql", "pg_dump", "pg_restore", "createdb", "dropdb", "pg_isready", "vacuumdb", "createuser", "dropuser", "pg_dumpall", "reindexdb", "pgbench", "pg_basebackup"], family: "postgres",
        flags: &[("--host", "-h"), ("--port", "-p"), ("--username", "-U"), ("--dbname", "-d"), ("--command", "-c"), ("--file", "-f"), ("--variable", "-v"), ("--set", "-v"), ("--quiet", "-q"), ("--tuples-only", "-t"), ("--no-align", "-A"), ("--no-psqlrc", "-X"), ("--expanded", "-x"), ("--output", "-o"), ("--list", "-l"), ("--no-password", "-w"), ("--single-transaction", "-1"), ("--jobs", "-j"), ("--echo-errors", "-b")],
        values: &["-h", "-p", "-U", "-d", "-c", "-f", "-v", "-o", "-F", "-P", "-j", "-n"], bare: &["-l", "-1", "-w", "--if-exists", "--no-owner", "-O"], shows: &["-q", "-t", "-A", "-X", "-x", "-P", "-e", "-a", "-F", "--csv", "-w", "-b"], any_order: true, bundles: true, port: Some(5432), anyway: &["-p=5432"], ..PLAIN },
    Tool { names: &["mysql", "mysqldump", "mariadb", "mysqladmin", "mariadb-dump", "mysqlimport", "mycli"], family: "mysql", flags: &[("--host", "-h"), ("--port", "-P"), ("--user", "-u"), ("--database", "-D"), ("--execute", "-e"), ("--silent", "-s"), ("--skip-column-names", "-N"), ("--batch", "-B"), ("--table", "-t"), ("--password", "-p")], values: &["-h", "-P", "-u", "-D", "-e"], bare: &["-p", "--single-transaction"], shows: &["-s", "-N", "-B", "-t"], any_order: true, port: Some(3306), anyway: &["-P=3306"], ..PLAIN },
    Tool { names: &["redis-cli", "valkey-cli"], family: "redis", values: &["-h", "-p", "-n", "-a", "-u"], bare: &["--raw", "--scan"], shows: &["--raw", "--no-auth-warning"], port: Some(6379), anyway: &["-p=6379", "-h=localhost", "-h=127.0.0.1"], ..PLAIN },
    Tool { names: &["mongosh", "mongo", "mongodump", "mongorestore", "mongoimport", "mongoexport"], family: "mongo", values: &["--host", "--port", "--eval", "--db", "-d", "--collection", "-c", "--file", "--uri", "-u"], bare: &["--drop"], shows: &["--quiet"], port: Some(27017), ..PLAIN },
    Tool { names: &["sqlcmd", "bcp", "mssql-cli"], values: &["-S", "-d", "-U", "-P", "-Q", "-q", "-i"], family: "sqlserver", port: Some(1433), ..PLAIN },
    Tool { names: &["cqlsh", "nodetool"], values: &["-e", "-f", "-k", "-u"], family: "cassandra", port: Some(9042), ..PLAIN },
    Tool { names: &["clickhouse-client", "clickhouse", "influx", "etcdctl", "rabbitmqctl", "rabbitmqadmin", "kafka-topics", "kafka-topics.sh", "kafka-console-consumer", "kcat", "nats", "cockroach", "trino", "beeline", "neo4j", "cypher-shell", "snowsql", "mc", "s3cmd", "nomad"], values: &["--host", "-h", "--port", "-p", "--query", "-q", "--bootstrap-server", "--topic", "-t", "--server", "-s", "-S", "--url", "-d", "--database", "--user", "-u"], ..PLAIN },
    Tool { names: &["sqlite3", "duckdb"], anywhere: true, bare: &["-header", "-csv", "-json", "-readonly", "-bail"], shows: &["-header", "-csv", "-json", "-column"], ..PLAIN },
    Tool { names: &["flyway", "liquibase", "sqitch", "goose", "migrate", "dbmate", "atlas", "diesel", "sqlx", "refinery", "sea-orm-cli", "tern"], sub: true, values: &["-path", "-database", "-source", "--url", "-u", "--env", "-e", "-d", "-dir", "--dir", "--source", "--migrations-dir", "--database-url", "-D", "--config"], reads: Reads::Named, manifests: &["flyway.conf", "flyway.toml", "liquibase.properties", "sqitch.conf", "diesel.toml", "atlas.hcl", "db/migrations", "migrations"], ..PLAIN },
];
