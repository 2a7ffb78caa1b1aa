/** Replaces the body of a purged callback, which can then not be sent again. */
export const purgedBody = Buffer.from('{"purged":true}')
