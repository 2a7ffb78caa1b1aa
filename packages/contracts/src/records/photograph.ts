import { z } from 'zod'
import { customIssue } from '../text.ts'

const photographBytesMax = 64 * 1024
const charactersMax = Math.ceil(photographBytesMax / 3) * 4
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Start-of-image marker and the byte after it, in base64. */
const jpegStart = '/9j/'

/** A JPEG of up to 64 KiB in base64. Not checked whether it can be displayed. */
export const photograph = z
  .string()
  .check(({ value, issues }) => {
    const fault = value.length > charactersMax ? tooLarge : isJpeg(value) ? undefined : notJpeg
    if (fault) issues.push(customIssue(fault, undefined))
  })
  .meta({ contentEncoding: 'base64', contentMediaType: 'image/jpeg', maxLength: charactersMax })

const tooLarge = { code: 'Size', message: `must be at most ${photographBytesMax} bytes of JPEG` }
const notJpeg = { code: 'Pattern', message: 'must be a JPEG in base64' }

function isJpeg(value: string): boolean {
  return value.length % 4 === 0 && value.startsWith(jpegStart) && base64.test(value)
}
