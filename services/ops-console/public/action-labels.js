/** Actions on many print jobs at once. */
export const bulkLabels = {
  hold: 'Hold',
  release: 'Release',
  cancel: 'Cancel',
  redrive: 'Retry',
}

/** Actions on one print job. */
export const labels = { ...bulkLabels, 'override-address': 'Correct the address' }
