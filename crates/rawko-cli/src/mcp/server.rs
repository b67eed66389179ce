//! What the protocol asks, handed to the store's threads, and their answers in the protocol's form.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use rawko::core::in_a_line;
use rawko::{Concern, Engine, Now, Slug, StoreError, TaskContext, Wish};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, Prompt, PromptArgument, PromptMessage, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Role, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};

use super::arguments::{Arguments, Mend};
use super::calls::{self, Caller, GET_TOKENS, Given};
use super::tools::{INSTRUCTIONS, tools};

/// How long what never changes may be kept, in milliseconds.
const HOUR: u64 = 3_600_000;
/// Resources on one page.
const PAGE: usize = 100;
/// How the address of a memory begins.
const ADDRESS: &str = "rawko://memory/";
/// Most items that the review prompt names.
const MOST_NAMED: usize = 20;

/// The server: where it works, and what this process has told so far.
#[derive(Clone)]
pub(super) struct Server {
    start: PathBuf,
    home: Option<PathBuf>,
    given: Arc<Mutex<Given>>,
    /// Held by whoever builds an index: one at a time is enough.
    indexing: Arc<Mutex<()>>,
    /// Whether rawko itself started the host: then there is nothing to offer.
    inside: bool,
    tools: Arc<Vec<Tool>>,
}

impl Server {
    pub(super) fn new(start: PathBuf, home: Option<PathBuf>, session: Option<String>, inside: bool) -> Self {
        let tools = if inside { Vec::new() } else { tools() };
        let given = Given::new(session);
        Self {
            start,
            home,
            given: Arc::new(Mutex::new(given)),
            indexing: Arc::default(),
            inside,
            tools: Arc::new(tools),
        }
    }

    /// Does blocking work on the stores as they are at this moment.
    async fn work<T: Send + 'static, E>(
        &self,
        work: impl FnOnce(&Engine) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        E: From<Mend> + Send + 'static,
    {
        let (start, home) = (self.start.clone(), self.home.clone());
        let done = tokio::task::spawn_blocking(move || {
            let engine =
                Engine::open(&start, home.as_deref(), Now::at(Timestamp::now())).map_err(Mend::from)?;
            work(&engine)
        });
        // A panic in one call is an answer to that call, and to no other.
        done.await.unwrap_or_else(|_| {
            Err(E::from(Mend("rawko failed at this; nothing that was saved is lost".to_owned())))
        })
    }

    /// Builds indexes that have fallen behind, when the answer is out: what is added must not make asking slower.
    fn catch_up(&self) {
        let (start, home, indexing) = (self.start.clone(), self.home.clone(), Arc::clone(&self.indexing));
        tokio::task::spawn_blocking(move || {
            let Ok(_alone) = indexing.try_lock() else { return };
            let Ok(engine) = Engine::open(&start, home.as_deref(), Now::at(Timestamp::now())) else { return };
            for whose in engine.wants_rebuild().unwrap_or_default() {
                // An index is a help and no more: what cannot be built now is built another time.
                let _ = engine.rebuild(whose, &mut |_, _| {});
            }
        });
    }

    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let name = context.client_info().map(|client| client.name).unwrap_or_default();
        Caller {
            name: calls::plain_name(&rawko::core::redact(&name)),
            folder: self.start.clone(),
            given: Arc::clone(&self.given),
        }
    }
}

impl From<Mend> for ErrorData {
    fn from(Mend(sentence): Mend) -> Self {
        ErrorData::internal_error(sentence, None)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("rawko", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().iter().rev().cloned().collect();
        Ok(DiscoverResult::from_server_info(versions, self.get_info()).with_ttl_ms(HOUR))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut list = ListToolsResult::with_all_items(self.tools.to_vec());
        (list.ttl_ms, list.cache_scope) = kept(&context);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_ref()).collect();
            let name = in_a_line(&request.name, 40);
            return Err(ErrorData::invalid_params(
                format!("there is no tool `{name}`: use {}", names.join(", ")),
                None,
            ));
        };
        let caller = self.caller(&context);
        let (name, schema, given) = (tool.name.clone(), Arc::clone(&tool.input_schema), request.arguments);
        let done = self
            .work(move |engine| {
                let arguments = Arguments::new(given, &schema)?;
                calls::call(&name, engine, &caller, &arguments)
            })
            .await;
        if matches!(tool.name.as_ref(), "search" | "add") {
            self.catch_up();
        }
        let result = match done {
            Ok(value) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
                result.structured_content = Some(value);
                result
            }
            Err(Mend(sentence)) => CallToolResult::error(vec![ContentBlock::text(sentence)]),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if self.inside {
            return Ok(ListResourcesResult::default());
        }
        let after = request.and_then(|request| request.cursor);
        self.work(move |engine| {
            let all = engine.tellable().map_err(Mend::from)?;
            let from =
                after.map_or(0, |after| all.partition_point(|(slug, _)| slug.as_str() <= after.as_str()));
            let page = &all[from..all.len().min(from + PAGE)];
            let resource = |(slug, title): &(Slug, String)| {
                Resource::new(format!("{ADDRESS}{slug}"), slug.as_str())
                    .with_title(title)
                    .with_mime_type("text/markdown")
            };
            let mut list = ListResourcesResult::with_all_items(page.iter().map(resource).collect());
            if from + PAGE < all.len() {
                list.next_cursor = page.last().map(|(slug, _)| slug.to_string());
            }
            Ok(list)
        })
        .await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new(format!("{ADDRESS}{{+id}}"), "memory")
            .with_description("A memory by its id, as `search` gives it")
            .with_mime_type("text/markdown");
        let mut list = ListResourceTemplatesResult::with_all_items(vec![template]);
        (list.ttl_ms, list.cache_scope) = kept(&context);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let missing = |why: String| Err(ErrorData::resource_not_found(why, None));
        let named = request.uri.strip_prefix(ADDRESS).and_then(|name| Slug::parse(name).ok());
        let Some(slug) = named.filter(|_| !self.inside) else {
            return missing(format!("addresses look like {ADDRESS}deploy-from-main"));
        };
        let given = Arc::clone(&self.given);
        let telling = self
            .work::<_, ErrorData>(move |engine| {
                let telling = engine.tell(&[slug], GET_TOKENS).map_err(Mend::from)?;
                Given::told(&given, &telling.block);
                Ok(telling)
            })
            .await?;
        if let Some((slug, why)) = telling.untold.first() {
            return missing(format!("`{slug}`: {}", calls::untold(*why)));
        }
        let contents = ResourceContents::text(telling.block, uri).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let topic =
            PromptArgument::new("topic").with_description("What you are about to do").with_required(true);
        let mut list = ListPromptsResult::with_all_items(vec![
            Prompt::new("recall", Some("What is remembered of a topic"), Some(vec![topic])),
            Prompt::new("review", Some("What waits for a person's review"), None),
        ]);
        (list.ttl_ms, list.cache_scope) = kept(&context);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let topic =
            request.arguments.as_ref().and_then(|given| given.get("topic")?.as_str().map(str::to_owned));
        let text = match (request.name.as_str(), topic) {
            ("review", _) => self.work::<_, Mend>(|engine| Ok(to_review(engine)?)).await,
            ("recall", Some(topic)) => {
                let given = Arc::clone(&self.given);
                self.work::<_, Mend>(move |engine| {
                    let text = recalled(engine, topic)?;
                    Given::told(&given, &text);
                    Ok(text)
                })
                .await
            }
            ("recall", None) => {
                return Err(ErrorData::invalid_params(
                    "`topic` is missing: say what you are about to do",
                    None,
                ));
            }
            _ => return Err(ErrorData::invalid_params("there are the prompts recall and review", None)),
        };
        let text = text.map_err(ErrorData::from)?;
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // What the protocol knows comes here only when its parameters do not fit.
        const KNOWN: [&str; 8] = [
            "initialize",
            "tools/call",
            "tools/list",
            "resources/read",
            "resources/list",
            "resources/templates/list",
            "prompts/get",
            "prompts/list",
        ];
        let method = in_a_line(&request.method, 60);
        Err(if KNOWN.contains(&method.as_str()) {
            ErrorData::invalid_params(format!("the parameters of {method} do not fit the protocol"), None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {method}"), None)
        })
    }
}

/// For how long, and by whom, a list that never changes may be kept; the older era has no word for it.
fn kept(context: &RequestContext<RoleServer>) -> (Option<u64>, Option<CacheScope>) {
    let newest = ProtocolVersion::V_2026_07_28;
    let is_newer = context.protocol_version().is_some_and(|version| version.as_str() >= newest.as_str());
    (is_newer.then_some(HOUR), is_newer.then_some(CacheScope::Private))
}

/// What the person should look at: names and reasons, and none of the texts that wait.
fn to_review(engine: &Engine) -> Result<String, StoreError> {
    let items = engine.review()?;
    if items.is_empty() {
        return Ok("Tell me that no memory waits for my review.".to_owned());
    }
    let pending = items.iter().filter(|item| item.concern == Concern::Pending).count();
    let others = items.len() - pending;
    let mut text = format!(
        "Of this project, {pending} memories wait for my review and {others} more things are worth a look:\n"
    );
    for item in items.iter().take(MOST_NAMED) {
        let name = &item.found.memory.slug;
        let name = if calls::may_be_named(name) { name.as_str() } else { "(a name that reads like orders)" };
        let other = item.other.as_ref().filter(|other| calls::may_be_named(other));
        let other = other.map_or(String::new(), |other| format!(", with `{other}`"));
        text.push_str(&format!("- `{name}`: {}{other}\n", item.concern.as_str()));
    }
    text.push_str(
        "\nTell me how many there are of each kind, and that I decide with `rawko review` in a terminal of my own. \
         You cannot approve any of them, and must not try.\n",
    );
    Ok(text)
}

/// What an injection before this topic would say.
fn recalled(engine: &Engine, topic: String) -> Result<String, StoreError> {
    let task = TaskContext { task: topic, ..TaskContext::default() };
    let injection = engine.inject(&task, &Wish::default())?;
    let nothing = || "Nothing is remembered that has to do with this.".to_owned();
    Ok(Some(injection.block).filter(|block| !block.is_empty()).unwrap_or_else(nothing))
}
