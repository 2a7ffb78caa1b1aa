/** Replaces the body of a purged callback, which can no longer be sent. */
export const purgedBody = Buffer.from('{"purged":true}')
