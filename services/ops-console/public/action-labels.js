/** What may be done with many print jobs at once. */
export const bulkLabels = {
  hold: 'Hold',
  release: 'Release',
  cancel: 'Cancel',
  redrive: 'Try again',
}

/** What may be done with one. */
export const labels = { ...bulkLabels, 'override-address': 'Correct the address' }
