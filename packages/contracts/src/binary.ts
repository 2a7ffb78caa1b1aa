import { z } from 'zod'

/** An answer of bytes, such as a PDF. */
export const binary = z.custom<Uint8Array>().meta({ type: 'string', format: 'binary' })

/** An answer that is written as it is made: a file, or lines. */
export const streamed = z.unknown().meta({ type: 'string', format: 'binary' })
