// Written by `cargo xtask codegen` from src-tauri/app/src/commands.rs; do not edit.

export type ErrorCode = "invalid" | "not_found" | "conflict" | "unknown_command" | "locked" | "too_new" | "altered" | "corrupt" | "read_only" | "disk_full" | "internal";
export type CommandError = { code: ErrorCode, message: string, details: Array<Fault>, };
export type Fault = { path: string, message: string, rejected: unknown, };
export type Account = { name: string, path: string, schema_version: number, };
export type AccountOpen = Record<string, never>;
export type Counts = { senders: number, assets: number, custom_fields: number, lists: number, contacts: number, opt_outs: number, short_links: number, jobs_waiting: number, };
export type Overview = { account: Account, counts: Counts, };
export type OverviewGet = Record<string, never>;
export type ListRow = { uid: string, name: string, contact_count: number, created_at: string, updated_at: string, };
export type ListSort = "updated_at" | "created_at" | "name";
export type SortOrder = "ASC" | "DESC";
export type ListPage = { page_number: number, page_size: number, sort_by: ListSort, sort_order: SortOrder, name: string | null, };
export type ListPageAnswer = { total_items: number, total_pages: number, items: Array<ListRow>, };
export type ListCreate = { name: string, };
export type Change = { seq: number, nouns: Array<string>, by: string, origin: string | null, };

export interface Commands {
  account_open: { request: AccountOpen; response: Account };
  overview_get: { request: OverviewGet; response: Overview };
  list_page: { request: ListPage; response: ListPageAnswer };
  list_create: { request: ListCreate; response: ListRow };
}
