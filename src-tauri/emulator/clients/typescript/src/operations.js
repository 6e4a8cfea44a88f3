// Made from the OpenAPI documents by src-tauri/emulator/clients/generate.py; not written by hand.

/** @type {readonly import('../gen/types.d.ts').Operation[]} The operations of the interface. */
export const OPERATIONS = [
  'contacts.create',
  'contacts.delete',
  'contacts.query',
  'lists.create',
  'lists.delete',
  'lists.query',
  'optouts.create',
  'optouts.delete',
  'optouts.query',
  'senders.delete',
  'senders.get',
  'senders.query',
  'shortlinks.create',
  'shortlinks.delete',
  'shortlinks.get',
  'shortlinks.search',
]
