/** A letter without files. Only its id is missing. */
export const aSmallLetter = {
  standardParams: {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName: 'Ms Ada Example',
    address: { unstructuredAddress: { line1: '1 High Street', postcode: 'AB1 2CD' } },
  },
}
