import { type FuzzRequest, targetOf } from './make-request.ts'

const shownCharactersMax = 2_000

/** Renders the request as a shell command. Credentials are named, never shown. */
export function renderRequest(request: FuzzRequest): string {
  const { operation, headers, credentials, body, as } = request
  const base = operation.api === 'administration' ? '$OPS_URL' : '$BASE_URL'
  const parts = [
    `curl -X ${operation.method} "${base}"${quote(targetOf(request))}`,
    ...Object.keys(credentials).map((name) => `-H "${name}: <${as}>"`),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body ? [`--data-binary ${quote(body.toString())}`] : []),
  ]
  return parts.join(' ')
}

function quote(text: string): string {
  const shown = text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text
  if (!/[^\x20-\x7e]/.test(shown)) return `'${shown.replaceAll("'", "'\\''")}'`
  const escaped = [...Buffer.from(shown)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? `\\x${byte.toString(16).padStart(2, '0')}`
      : String.fromCharCode(byte),
  )
  return `$'${escaped.join('')}'`
}
