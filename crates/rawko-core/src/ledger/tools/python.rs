//! Programs of Python.

use super::{Answer, PLAIN, Reads, Tool};

#[rustfmt::skip]
pub(super) const PYTHON: &[&str] = &[
    "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", "requirements.txt", "requirements-dev.txt", "poetry.lock",
    "uv.lock", "pdm.lock", "Pipfile", "Pipfile.lock", "environment.yml", "conftest.py", "tests/conftest.py", "mypy.ini", "ruff.toml", ".flake8",
    ".pylintrc", "pyrightconfig.json", ".pre-commit-config.yaml", ".python-version",
];
const FAMILY: Tool = Tool { family: "python", manifests: PYTHON, ..PLAIN };

#[rustfmt::skip]
pub(super) static TOOLS: &[Tool] = &[
    Tool { names: &["pytest", "py.test"], flags: &[("--exitfirst", "-x"), ("--quiet", "-q"), ("--verbose", "-v"), ("--last-failed", "--lf"), ("--failed-first", "--ff"), ("--junit-xml", "--junitxml"), ("--numprocesses", "-n")],
        values: &["-k", "-m", "-n", "-p", "-c", "-o", "-W", "--maxfail", "--tb", "--junitxml", "--cov", "--cov-report", "--rootdir", "--durations", "--log-level", "--log-cli-level", "--capture", "--color", "--timeout", "--ignore", "--deselect", "--basetemp"],
        bare: &["-x", "--lf", "--ff", "--collect-only", "--pdb"],
        shows: &["-q", "-qq", "-v", "-vv", "-vvv", "-s", "-ra", "-rA", "-rf", "-rs", "-rx", "--tb", "--junitxml", "--durations", "--no-header", "--no-summary", "--cov-report", "--capture", "-l", "--showlocals", "--log-cli-level", "--basetemp"],
        any_order: true, reads: Reads::Sources, ..FAMILY },
    Tool { names: &["python", "python3", "python2", "py"], family: "python", values: &["-c", "-m", "-W", "-X"], bare: &["-u", "-B", "-O", "-I", "-E", "-s", "-i"], shows: &["-u", "-B"], ..PLAIN },
    Tool { names: &["pip", "pip3", "pipx"], family: "python", sub: true, runs: &[], flags: &[("-U", "--upgrade"), ("-i", "--index-url"), ("-c", "--constraint")],
        values: &["--requirement", "-r", "--editable", "-e", "--constraint", "--index-url", "--extra-index-url", "--find-links", "--target", "-t", "--python", "--no-binary", "--only-binary"],
        bare: &["--upgrade", "--pre", "--user", "--no-deps", "--no-cache-dir", "--force-reinstall", "--break-system-packages", "-y", "--yes"],
        shows: &["-q", "-qq", "-v", "--disable-pip-version-check", "--no-input", "--no-warn-script-location", "--root-user-action", "--no-python-version-warning"], any_order: true,
        manifests: &["pyproject.toml", "setup.py"], answers: &[Answer { with: &["check"], codes: &[] }], ..PLAIN },
    Tool { names: &["uv", "poetry", "pdm", "pipenv", "hatch", "rye"], sub: true, runs: &["run"], flags: &[("-C", "--directory"), ("--project", "--directory"), ("-G", "--group"), ("-P", "--directory"), ("-E", "--extras")],
        values: &["--directory", "--group", "--with", "--without", "--only", "--extra", "--extras", "--python", "-p", "--index-url", "--env", "-e", "--with-requirements", "--with-editable", "--package", "--env-file", "--no-group", "--only-group", "-r", "--index", "--source"],
        bare: &["--frozen", "--locked", "--no-sync", "--all-extras", "--no-root", "--dev", "--no-dev", "--isolated", "--all-groups", "--upgrade", "-U", "--active"],
        folder: &["--directory"], package: &["--package"], shows: &["-q", "-qq", "-v", "-vv", "-n", "--no-interaction"], any_order: true, reads: Reads::SourcesFor(&["run", "build"]), ..FAMILY },
    Tool { names: &["conda", "mamba", "micromamba"], family: "python", sub: true, runs: &["run"], values: &["--name", "-n", "--prefix", "-p", "--file", "-f", "--channel", "-c"], bare: &["--yes", "-y", "--no-capture-output", "--live-stream"], shows: &["--yes", "-y", "-q", "--no-capture-output", "--live-stream"], any_order: true, manifests: &["environment.yml"], ..PLAIN },
    Tool { names: &["mypy", "flake8", "pylint", "black", "isort", "pyright", "basedpyright", "bandit", "pyflakes", "yapf", "autopep8", "vulture", "pydocstyle", "ty", "pyre", "coverage"], values: &["--config-file", "--config", "-c", "--select", "--ignore", "--extend-ignore", "--max-line-length", "--rcfile", "-j", "--line-length", "-l", "--python-version", "--package", "-p", "--module"],
        bare: &["--strict", "--check", "--diff", "--fix", "--check-only", "--ignore-missing-imports", "-r"], any_order: true, shows: &["-q", "-v", "--pretty", "--output-format", "--show-error-codes", "-j", "--no-error-summary", "--show-source", "--stats"], reads: Reads::Sources, ..FAMILY },
    Tool { names: &["ruff"], sub: true, anyway: &["."], values: &["--config", "--select", "--ignore", "--extend-select", "--output-format", "--line-length", "--target-version"], bare: &["--fix", "--check", "--diff", "--unsafe-fixes", "--no-cache"], shows: &["-q", "-v", "--output-format", "--no-cache", "--show-files"], any_order: true, reads: Reads::Sources, ..FAMILY },
    Tool { names: &["tox", "nox", "pre-commit"], default: "run", flags: &[("-a", "--all-files"), ("-s", "--session")], values: &["-e", "-c", "--session", "-f", "--noxfile", "--files", "--hook-stage", "-k"], bare: &["--all-files", "-p", "-r", "--recreate", "--reuse-existing-virtualenvs"], manifest: &[], shows: &["-q", "-v", "-vv", "--show-diff-on-failure"], any_order: true, reads: Reads::Sources, ..FAMILY },
    Tool { names: &["alembic"], sub: true, values: &["--config", "-c", "--name", "-n", "-x", "--message", "-m", "--rev-id"], bare: &["--sql", "--autogenerate", "--raiseerr"], prose: &[("revision", "--message"), ("revision", "-m")], manifest: &["--config", "-c"], manifests: &["alembic.ini", "migrations", "alembic"], ..PLAIN },
    Tool { names: &["django-admin", "manage.py"], family: "python", sub: true, values: &["--settings", "--pythonpath", "--database"], shows: &["-v", "--traceback"], reads: Reads::SourcesFor(&["test", "check", "runserver", "migrate", "makemigrations"]), manifests: PYTHON, ..PLAIN },
    Tool { names: &["flask", "uvicorn", "gunicorn", "hypercorn", "celery", "streamlit", "fastapi", "airflow", "prefect", "scrapy", "invoke", "fab", "jupyter", "papermill", "twine", "sphinx-build", "mkdocs", "locust", "cibuildwheel", "maturin", "snakemake"], values: &["--app", "-A", "--host", "--port", "-p", "--bind", "-b", "--workers", "-w", "--repository", "-r", "--config", "-c"], bare: &["--reload", "--debug"], family: "python", manifests: PYTHON, ..PLAIN },
    Tool { names: &["dvc"], sub: true, flags: &[("-r", "--remote"), ("-j", "--jobs")], values: &["--remote", "--jobs", "--cd"], bare: &["-d", "--default", "-f", "--force", "--all-commits", "-a"], shows: &["-q", "-v", "--jobs"], folder: &["--cd"], manifests: &[".dvc/config", "dvc.yaml", "dvc.lock", "params.yaml"], ..PLAIN },
    Tool { names: &["dbt", "sqlmesh"], sub: true, far: true, flags: &[("-s", "--select"), ("-m", "--select"), ("--models", "--select"), ("--model", "--select"), ("-t", "--target"), ("-x", "--fail-fast")], values: &["--select", "--exclude", "--target", "--profile", "--profiles-dir", "--project-dir", "--vars", "--threads", "--selector", "--log-level", "--state"],
        bare: &["--full-refresh", "--fail-fast", "-f"], shows: &["--threads", "-q", "--debug", "-d", "--no-print"], folder: &["--project-dir"], any_order: true, reads: Reads::SourcesFor(&["run", "build", "test", "compile", "parse", "snapshot", "seed"]), manifests: &["dbt_project.yml", "profiles.yml", "packages.yml", "dependencies.yml"], ..PLAIN },
];
