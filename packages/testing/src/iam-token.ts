import { createHmac, hash } from 'node:crypto'

/** What a token must be made with. */
type IamSigning = {
  host: string
  port: number
  user: string
  region: string
  secretAccessKey: string
}

const validMs = 15 * 60 * 1000

/**
 * Returns why a server of Amazon RDS would refuse the token, or undefined if it accepts it. Computes the signature by
 * AWS Signature Version 4 without the library that signs.
 */
export function judgeIamToken(token: string, signing: IamSigning): string | undefined {
  const { host, port, user, region } = signing
  const address = URL.parse(`https://${token}`)
  if (!address?.searchParams.has('X-Amz-Signature')) return 'it is no token'
  const given = Object.fromEntries(address.searchParams)
  if (address.host !== `${host}:${port}`) return `it is for ${address.host}`
  if (given.Action !== 'connect' || given.DBUser !== user) return `it is for ${given.DBUser}`
  const time = given['X-Amz-Date'] ?? ''
  const scope = `${time.slice(0, 8)}/${region}/rds-db/aws4_request`
  if (!given['X-Amz-Credential']?.endsWith(`/${scope}`)) return 'it has another scope'
  const ageMs =
    Date.now() - Date.parse(time.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'))
  if (!(ageMs >= 0 && ageMs < validMs)) return 'it has expired'
  return given['X-Amz-Signature'] === signatureOf(address, { scope, time }, signing)
    ? undefined
    : 'it is signed with another key'
}

function signatureOf(
  address: URL,
  { scope, time }: { scope: string; time: string },
  { region, secretAccessKey }: IamSigning,
): string {
  const query = [...address.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const request = ['GET', '/', query, `host:${address.host}`, '', 'host', sha256('')].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(request)].join('\n')
  const parts = [time.slice(0, 8), region, 'rds-db', 'aws4_request', toSign]
  const first: string | Buffer = `AWS4${secretAccessKey}`
  const signed = parts.reduce<string | Buffer>(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    first,
  )
  return (signed as Buffer).toString('hex')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
}

function sha256(text: string): string {
  return hash('sha256', text)
}
