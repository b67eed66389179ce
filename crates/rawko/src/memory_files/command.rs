//! The commands of the tool, read from the model's JSON.

use serde_json::Value;

/// A command of the memory tool `memory_20250818`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileCommand {
    /// Shows a folder, or a file with line numbers.
    View {
        /// Which.
        path: String,
        /// First and last line, from 1; a last line of -1 is the end.
        range: Option<(i64, i64)>,
    },
    /// Makes a file.
    Create {
        /// Which.
        path: String,
        /// Its text.
        text: String,
    },
    /// Replaces a text that stands in a file once.
    Replace {
        /// Which file.
        path: String,
        /// What stands there.
        old: String,
        /// What is to stand there.
        new: String,
    },
    /// Inserts lines.
    Insert {
        /// Which file.
        path: String,
        /// Behind which line; 0 is the top.
        line: i64,
        /// What.
        text: String,
    },
    /// Deletes a file or folder; its history stays.
    Delete {
        /// Which.
        path: String,
    },
    /// Gives a file or folder another name.
    Rename {
        /// Its name.
        from: String,
        /// Its new name.
        to: String,
    },
}

impl FileCommand {
    /// Reads a tool call's input; the error is a sentence for the model.
    pub fn parse(input: &Value) -> Result<Self, String> {
        let text = |name: &str| match &input[name] {
            Value::String(text) => Ok(text.clone()),
            Value::Null => Err(format!("`{name}` is missing")),
            _ => Err(format!("`{name}` must be a text")),
        };
        let number =
            |name: &str| input[name].as_i64().ok_or_else(|| format!("`{name}` must be a whole number"));
        match input["command"].as_str() {
            Some("view") => Ok(Self::View { path: text("path")?, range: range(&input["view_range"])? }),
            Some("create") => Ok(Self::Create { path: text("path")?, text: text("file_text")? }),
            Some("str_replace") => {
                let new = if input["new_str"].is_null() { String::new() } else { text("new_str")? };
                Ok(Self::Replace { path: text("path")?, old: text("old_str")?, new })
            }
            Some("insert") => Ok(Self::Insert {
                path: text("path")?,
                line: number("insert_line")?,
                text: text("insert_text")?,
            }),
            Some("delete") => Ok(Self::Delete { path: text("path")? }),
            Some("rename") => Ok(Self::Rename { from: text("old_path")?, to: text("new_path")? }),
            _ => Err("`command` must be view, create, str_replace, insert, delete or rename".to_owned()),
        }
    }
}

fn range(value: &Value) -> Result<Option<(i64, i64)>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Array(ends) => match ends.iter().map(Value::as_i64).collect::<Vec<_>>()[..] {
            [] => Ok(None),
            [Some(first), Some(last)] => Ok(Some((first, last))),
            _ => Err("`view_range` must be two line numbers".to_owned()),
        },
        _ => Err("`view_range` must be two line numbers".to_owned()),
    }
}
