import { z } from 'zod'
import { customIssue, text } from '../text.ts'

/** Schema of an existing day, as YYYY-MM-DD, from 1800 to 2199. */
export function day() {
  return z
    .string()
    .check(({ value, issues }) => {
      if (!isDay(value)) issues.push(customIssue(noDay, value))
    })
    .meta({ format: 'date' })
}

/** Schema of a month as YYYY-MM, from 1800 to 2199. */
export function month() {
  return text({ pattern: /^(1[89]|2[01])\d\d-(0[1-9]|1[0-2])$/ })
}

/** Schema of one line of text: not empty, without control characters, and without blanks at the start or end. */
export function words(max: number) {
  return text({ min: 1, max }).check(({ value, issues }) => {
    if (value !== '' && !line.test(value)) issues.push(customIssue(noLine, value))
  })
}

const noLine = {
  code: 'Pattern',
  message: 'must be one line without control characters, and without blanks at its ends',
}
const line = /^(?!\s)[^\p{Cc}]+(?<!\s)$/u

const noDay = { code: 'Pattern', message: 'must be a date that exists, as YYYY-MM-DD' }
const dayPattern = /^(1[89]|2[01])\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

function isDay(value: string): boolean {
  if (!dayPattern.test(value)) return false
  const dayOfMonth = Number(value.slice(8))
  if (dayOfMonth <= 28) return true
  const lastDay = new Date(Date.UTC(Number(value.slice(0, 4)), Number(value.slice(5, 7)), 0))
  return dayOfMonth <= lastDay.getUTCDate()
}

const photographBytesMax = 64 * 1024
const photographCharactersMax = Math.ceil(photographBytesMax / 3) * 4
const base64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Start-of-image marker and the byte after it, in base64. */
const jpegStart = '/9j/'

/** A JPEG of up to 64 KiB in base64. Not checked whether it can be displayed. */
export const photograph = z
  .string()
  .check(({ value, issues }) => {
    const fault =
      value.length > photographCharactersMax ? tooLarge : isJpeg(value) ? undefined : notJpeg
    if (fault) issues.push(customIssue(fault, undefined))
  })
  .meta({
    contentEncoding: 'base64',
    contentMediaType: 'image/jpeg',
    maxLength: photographCharactersMax,
  })

const tooLarge = { code: 'Size', message: `must be at most ${photographBytesMax} bytes of JPEG` }
const notJpeg = { code: 'Pattern', message: 'must be a JPEG in base64' }

function isJpeg(value: string): boolean {
  return value.length % 4 === 0 && value.startsWith(jpegStart) && base64.test(value)
}
