import { z } from 'zod'

/** A response of bytes, such as a PDF. */
export const binary = z.custom<Uint8Array>().meta({ type: 'string', format: 'binary' })

/** A response that is streamed while it is produced: a file, or lines. */
export const streamed = z.unknown().meta({ type: 'string', format: 'binary' })
