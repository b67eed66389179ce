//! What any project's memories sound like: sentences beside which a small store is measured.
//!
//! How much a word tells, and how near is near, is read from the collection.
//! A handful of memories tells neither: in a store of one, every word is in
//! every memory. Few memories are therefore measured among these sentences,
//! which are never candidates. They name what all projects have and no project
//! in particular.

/// Memories from which a collection speaks for itself.
pub(super) const ENOUGH: usize = 32;

/// The sentences, as many as [`ENOUGH`].
pub(super) const SENTENCES: [&str; ENOUGH] = [
    "Add a unit test for every new function before the change is merged.",
    "The build fails when a dependency has been updated without the lock file.",
    "Read the settings from the configuration file and fall back to the defaults.",
    "Log the error message with the path of the file that could not be opened.",
    "Users reported that the page takes several seconds to load on a slow connection.",
    "Rename the variable so that its name says what the value means.",
    "The release script updates the version number and creates a tag.",
    "Requests to the remote service are retried three times with a growing delay.",
    "Write the documentation for the new option and show an example.",
    "The database schema is changed by a migration that runs at the start.",
    "Move the shared code into its own module and import it where it is needed.",
    "A null value in the response made the parser return the wrong result.",
    "The command line tool prints a short help text when no argument is given.",
    "Cache the result of the query and clear it when the data changes.",
    "Check the input of the form and show a warning beside the field.",
    "The pipeline runs the linter, the type checker and the whole test suite.",
    "Refactor the class into smaller functions without changing what it does.",
    "Two threads wrote to the same list, so the order was different on each run.",
    "Set the environment variable before the server process is started.",
    "The package is published from the main branch after the review is done.",
    "Open the connection once and close it when the program ends.",
    "Handle a missing key in the object instead of raising an exception.",
    "The layout of the screen breaks when the window is too narrow.",
    "Upload the image to the storage bucket and keep only its address.",
    "Sort the rows by date and return the first page of the table.",
    "Memory use grew with every message because old items were never removed.",
    "The token expires after one hour and must be renewed by the client.",
    "Replace the old library with the one that the rest of the team uses.",
    "Install the required tools with the package manager of the system.",
    "A timeout in the network call was hidden by an empty error handler.",
    "Convert the string to a number before comparing it with the limit.",
    "Deploy the container to the test cluster and watch its health check.",
];
