// The pages of the guide, in the order of its contents. Each is a Markdown file of the repository.

/** `group` is the heading in the contents under which the page is listed. */
export const PAGES = [
  { id: 'account-manager', group: 'guides', file: 'ui/guides/account-manager.md' },
  { id: 'offline-editor', group: 'guides', file: 'ui/guides/offline-editor.md' },
  { id: 'developer', group: 'guides', file: 'ui/guides/developer.md' },
  { id: 'operations', group: 'guides', file: 'ui/guides/operations.md' },
  { id: 'limits', group: 'guides', file: 'ui/guides/limits.md' },
  { id: 'importing', group: 'reference', file: 'src-tauri/ops/imports/IMPORT.md' },
  { id: 'promises', group: 'reference', file: 'src-tauri/sync/PROMISES.md' },
  { id: 'faults', group: 'reference', file: 'src-tauri/cli/FAULTS.md' },
  { id: 'emulator', group: 'reference', file: 'src-tauri/emulator/GUIDE.md' },
  { id: 'clients', group: 'reference', file: 'src-tauri/emulator/clients/README.md' },
  { id: 'admin', group: 'reference', file: 'src-tauri/emulator/ADMIN.md' },
  { id: 'rest', group: 'reference', file: 'ui/guides/rest.md' },
  { id: 'licences', group: 'reference', file: 'ui/guides/licences.md' },
]
