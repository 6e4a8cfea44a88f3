// Written by `cargo xtask codegen` from src-tauri/app/src/commands.rs; do not edit.

export type Account = { name: string, path: string, schema_version: number, };

export type AccountOpen = Record<symbol, never>;

export type ChangeEvent = { 
/**
 * Counts up by one in each feed, so that a page knows when it has missed something.
 */
seq: number, nouns: Array<Noun>, by: Source, 
/**
 * The client that asked for the change, which need not hear its own echo.
 */
origin: string | null, };

export type CommandError = { code: ErrorCode, message: string, details: Array<FieldFault>, };

export type Counts = { senders: number, assets: number, custom_fields: number, lists: number, contacts: number, opt_outs: number, short_links: number, jobs_waiting: number, };

export type ErrorCode = "invalid" | "not_found" | "conflict" | "unknown_command" | "locked" | "too_new" | "altered" | "corrupt" | "read_only" | "disk_full" | "internal";

export type FieldFault = { path: string, message: string, rejected: unknown, };

export type List = { uid: ListId, name: string, contact_count: number, created_at: Timestamp, updated_at: Timestamp, };

export type ListCreate = { name: string, };

export type ListId = string;

export type ListPage = { page_number: number, page_size: number, sort_by: ListSort, sort_order: SortOrder, 
/**
 * Part of the name, in any case.
 */
name: string | null, };

export type ListPageAnswer = { total_items: number, total_pages: number, items: Array<List>, };

export type ListSort = "updated_at" | "created_at" | "name";

export type Noun = "sender" | "asset" | "custom_field" | "list" | "contact" | "job" | "callback" | "opt_out" | "short_link" | "click";

export type Overview = { account: Account, counts: Counts, };

export type OverviewGet = Record<symbol, never>;

export type SortOrder = "ASC" | "DESC";

export type Source = "user" | "import" | "sync" | "interface" | "operator" | "job";

export type Timestamp = string;

export interface Commands {
  /** Opens the account once more after what kept it closed was cured. */
  account_open: { request: AccountOpen; response: Account }
  /** The account and how much of everything it holds. */
  overview_get: { request: OverviewGet; response: Overview }
  /** One page of the contact lists. */
  list_page: { request: ListPage; response: ListPageAnswer }
  /** Makes an empty contact list. */
  list_create: { request: ListCreate; response: List }
}
