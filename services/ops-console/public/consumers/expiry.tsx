import { noCredentialDay } from '@despatch/domain/access/no-credential'
import { dayName } from '../parts/format.ts'

/** Credentials are marked this many days before they expire. */
const soonDays = 14
const dayMs = 86_400_000

/** Returns whether the password or the API key of a consumer has expired, or will soon. */
export function expiresSoon({
  passwordExpiry,
  apiKeyExpiry,
}: {
  passwordExpiry: string
  apiKeyExpiry: string
}): boolean {
  return [passwordExpiry, apiKeyExpiry].some(
    (day) => day !== noCredentialDay && daysUntil(day) < soonDays,
  )
}

function daysUntil(day: string): number {
  return Math.floor((Date.parse(`${day}T23:59:59Z`) - Date.now()) / dayMs)
}

/** Returns the last day on which credentials work, and how soon that is; `none` if the account has none. */
export function expiry(day: string) {
  if (day === noCredentialDay) return <span class="meta">none</span>
  const days = daysUntil(day)
  const isSoon = days < soonDays
  const text = days < 0 ? 'expired' : `in ${days} d`
  return (
    <span class="nowrap">
      <span class={isSoon ? (days < 0 ? 'bad strong' : 'warn strong') : ''}>{text}</span>
      <span class="sub">
        <time dateTime={day} title={day}>
          {dayName(day)}
        </time>
      </span>
    </span>
  )
}
