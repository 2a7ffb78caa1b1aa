/** Common to all documents of the kit. */
export const despatchMethod = 'SECOND'
export const format = 'LETTER'
/** Three sheets in an envelope weigh less. */
export const weightBandGrams = 100
