/** What is left of a callback's message: nothing that could be sent again. */
export const purgedBody = Buffer.from('{"purged":true}')
