/** A letter without files, but for its id. */
export const aSmallLetter = {
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName: 'Ms Ada Example',
    address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
  },
}
