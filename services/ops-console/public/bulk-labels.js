/** What may be done with many print jobs at once. */
export const labels = {
  hold: 'Hold',
  release: 'Release',
  cancel: 'Cancel',
  redrive: 'Try again',
}
