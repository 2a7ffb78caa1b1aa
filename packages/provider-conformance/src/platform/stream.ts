/** What all documents of the kit have alike. */
export const despatchMethod = 'SECOND'
export const format = 'LETTER'
/** Three sheets in an envelope are lighter. */
export const weightBandGrams = 100
