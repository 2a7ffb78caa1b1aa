/**
 * A letter that any consumer may submit. The recipient's name decides what the factory of the test environment does
 * with it.
 */
export function aLetter(recipientName = 'Ms Ada Example', more: object = {}) {
  return {
    standardParams: {
      jobType: 'LETTER',
      templateReference: 'LETTER',
      recipientName,
      address: {
        unstructuredAddress: { line1: '1 High Street', line5: 'Anytown', postcode: 'AB1 2CD' },
      },
    },
    ...more,
  }
}
