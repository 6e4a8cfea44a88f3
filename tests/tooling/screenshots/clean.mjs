// Pictures of the cleanup: duplicates side by side, texts that need fixing, and nothing to do.

const group = (tab) => tab.locator('main thead th[data-uid]').nth(1).waitFor()

export const clean = (paper, tidy, empty) => [
  ['clean', 'duplicates', `#/lists/${paper}/clean`, group],
  [
    'clean',
    'mending',
    `#/lists/${paper}/clean/mending`,
    (tab) => tab.locator('main tbody tr').first().waitFor(),
  ],
  ['clean', 'none', `#/lists/${tidy}/clean`, (tab) => tab.getByText('No duplicates').first().waitFor()],
  [
    'clean',
    'empty',
    `#/lists/${empty}/clean`,
    (tab) => tab.getByText('This list is empty').first().waitFor(),
  ],
]
