// Made from the OpenAPI documents by src-tauri/emulator/clients/generate.py; not written by hand.

/** A contact as the query returns it. */
export interface Contact {
  address_1?: string | null;
  address_2?: string | null;
  alternate_phone?: string | null;
  city?: string | null;
  company_name?: string | null;
  country?: string | null;
  created_at?: string | null;
  date_of_birth?: string | null;
  email_address?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  phone_number?: string | null;
  phone_region?: string | null;
  state?: string | null;
  title?: string | null;
  uid?: string | null;
  updated_at?: string | null;
  whatsapp_id?: string | null;
  whatsapp_region?: string | null;
  zip?: string | null;
}

/** Body of a request that creates contacts. */
export interface ContactsCreate {
  /** Absolute http or https address to which the result is posted when the job has ended. */
  callback_url?: string | null;
  contacts: NewContact[];
  correlation_id?: string | null;
  list_id: string;
  merge_type: "skipDuplicates" | "allowDuplicates" | "mergeByPhoneNumberInList" | "mergeByWhatsappIdInList";
  /** Region in which national numbers are read. */
  phone_region?: string | null;
}

export interface CreateOutcome {
  account_level_opt_out?: boolean | null;
  channel: string;
  message: string;
  number: string;
  opt_out_time?: string | null;
  opt_out_type?: string | null;
  status: "success" | "failure";
}

/** Response to the creation of opt-outs: one result per entry. */
export interface Created {
  items: CreateOutcome[];
  total_failed: number;
  total_submitted: number;
  total_succeeded: number;
}

/** Response to the creation of a list. */
export interface CreatedList {
  name: string;
  uid: string;
}

export interface Error {
  code: string;
  error: string;
  message: string;
  status: number;
  timestamp: string;
  trace_id: string;
  validation_errors: {
    field: string;
    message: string;
    /** As received. Null: nothing was given. */
    rejected_value: unknown;
  }[] | null;
}

export interface JobEnded {
  correlation_id: string | null;
  list_id: string;
  /** Name of the list when the job was queued. */
  list_name: string;
  results: JobResults;
  timestamp: string;
}

/** Counts as texts. Contacts skipped as duplicates are in none of them. */
export interface JobResults {
  total_contacts_failed: string;
  total_contacts_imported: string;
  total_contacts_merged: string;
}

export interface List {
  created_at: string;
  name: string;
  uid: string;
  updated_at: string;
}

/** Body of a request that creates a list. */
export interface ListCreate {
  /** Stored exactly as sent. Must not be blank. */
  name: string;
}

export interface ListPage {
  items: List[];
  paging: Paging;
}

/** A contact to create or update. It needs at least one of the two numbers. */
export interface NewContact {
  address_1?: string | null;
  address_2?: string | null;
  alternate_phone?: string | null;
  city?: string | null;
  company_name?: string | null;
  country?: string | null;
  date_of_birth?: string | null;
  email_address?: string | null;
  firstname?: string | null;
  lastname?: string | null;
  phone_number?: string | null;
  state?: string | null;
  title?: string | null;
  whatsapp_number?: string | null;
  zip?: string | null;
}

export interface NotFoundError {
  code: string;
  error: string;
  message: string;
  status: number;
  timestamp: string;
  trace_id: string;
}

export interface OptOut {
  account_level_opt_out: boolean;
  channel: "SMS" | "WHATSAPP";
  inbound_asset_id?: string | null;
  inbound_number?: string | null;
  number: string;
  opt_out_time: string;
  opt_out_type: "keyword" | "web_opt_out" | "account_import" | "api_import";
}

export interface OptOutCreate {
  /** The asset that it is for. Default: the whole account. */
  asset_id?: string | null;
  /** SMS or WHATSAPP, in upper or lower case. Default SMS. */
  channel?: string | null;
  /** E.164, or a national number with its country code. */
  number: string;
}

export interface OptOutPage {
  items: OptOut[];
  paging: Paging;
}

/** Body of a request that creates an opt-out. */
export interface OptOutsCreate {
  /** Only the first entry is processed. */
  optouts: OptOutCreate[];
}

/** Body of a request that removes opt-outs. */
export interface OptOutsDelete {
  /** Removes only opt-outs that belong to this asset. */
  asset_id?: string | null;
  /** SMS or WHATSAPP, in upper or lower case. Default: both. */
  channel?: string | null;
  numbers: string[];
}

export interface Paging {
  /** The requested page, even if it is after the last one. */
  current_page: number;
  total_items: number;
  total_pages: number;
}

/** Response to a queued request. */
export interface QueuedContacts {
  code: "SUCCESS_CNT_GEN_001";
  list_id: string;
  list_name: string;
  message: string;
}

export interface RemovalOutcome {
  message: string;
  /** E.164 on success, as sent on failure. */
  number: string;
  status: "success" | "failure";
}

/** Response to the removal of opt-outs: one result per number. */
export interface Removed {
  items: RemovalOutcome[];
  total_failed: number;
  total_submitted: number;
  total_succeeded: number;
}

export interface SearchFilter {
  created_at_end?: string | null;
  created_at_start?: string | null;
  /** Fuzzy search in titles and tags. */
  query?: string | null;
  /** Every one of these tags, exactly. */
  tags?: string[] | null;
}

export interface SearchPage {
  page_number?: WholeNumber | null;
  page_size?: WholeNumber | null;
}

export interface SearchSort {
  sort_by?: "created_at" | null;
  sort_order?: "ASC" | "DESC" | null;
}

export interface Sender {
  id: string;
  name: string;
  status: "Pending" | "Verified";
}

export interface SenderError {
  code?: number | null;
  field?: string | null;
  message: string;
}

/** Errors of the senders. */
export interface SenderErrors {
  errors: SenderError[];
  trace_id: string;
}

export interface SenderPage {
  items: Sender[];
  paging: Paging;
}

export interface ShortLink {
  created_at: string;
  link_id: string;
  short_link_url: string;
  tags: string[];
  target_url: string;
  title: string;
  track_clicks: boolean;
}

/** Body of a request that creates a short link. */
export interface ShortLinkCreate {
  /** Letters and digits of any script, space, - and _. 1 to 50 characters each, at most 10 different ones. */
  tags?: string[] | null;
  /** Absolute http or https address with a host. */
  target_url: string;
  /** Trimmed before it is stored. 1 to 100 characters after trimming. */
  title: string;
  track_clicks?: boolean | null;
}

export interface ShortLinkPage {
  items: ShortLink[];
  paging: Paging;
}

/** Body of a search for short links. */
export interface ShortLinkSearch {
  filter?: SearchFilter | null;
  page?: SearchPage | null;
  sort?: SearchSort | null;
}

/** A JSON integer, or a text with its decimal digits. */
export type WholeNumber = number | string;
