import { z } from 'zod'

/** A date and time of the caller, in any time zone. */
export const moment = z.iso.datetime({
  offset: true,
  error: 'must be a date and time with a time zone, such as 2026-01-31T09:00:00Z',
})
