import type { ConformanceCredentials } from './credentials-file.ts'
import type { Call } from './transcript.ts'

/** Returns which part of the credentials an address contains, because addresses are logged in many places. */
export function secretInUrl(
  url: string,
  { credentials, tokens }: { credentials: ConformanceCredentials; tokens: Iterable<string> },
): Call['secretInUrl'] {
  const texts = [url, decode(url)]
  const has = (secret: string) => secret !== '' && texts.some((text) => text.includes(secret))
  if (has(credentials.password)) return 'password'
  if (has(credentials.apiKey)) return 'API key'
  if ([...tokens].some(has)) return 'token'
  return has(credentials.userName) ? 'user name' : undefined
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url.replaceAll('+', ' '))
  } catch {
    return url
  }
}
