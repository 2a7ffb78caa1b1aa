import { randomBytes, randomUUID } from 'node:crypto'

export type Postage = 'first' | 'second' | 'economy' | 'europe' | 'rest-of-world'

/** A letter of the client. Its id is also the key by which a retry is recognised. */
export type Letter = { id: string; body: Record<string, unknown> }

export type LetterOptions = {
  postage: Postage
  /** The lines of the address, the recipient first. */
  lines: readonly string[]
  bfpoNumber?: number
  pdf: Uint8Array
  /** The address for callbacks, without its token. */
  callbackUrl: string
}

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
/** The client leaves the method of second class out. */
const despatchMethods: Readonly<Record<Exclude<Postage, 'second'>, string>> = {
  first: 'FIRST',
  economy: 'ECONOMY',
  europe: 'INTERNATIONAL_EU',
  'rest-of-world': 'INTERNATIONAL_ROW',
}

/** Writes the request for a letter as the client does, member by member. */
export function writeLetter(options: LetterOptions): Letter {
  const { postage, lines, pdf, callbackUrl } = options
  const id = randomUUID()
  return {
    id,
    body: {
      id,
      standardParams: {
        jobType: 'NOTIFY',
        templateReference: 'NOTIFY',
        businessIdentifier: [...randomBytes(16)].map((byte) => alphanumerics[byte % 36]).join(''),
        recipientName: lines[0]!.slice(0, 255),
        address: addressOf(options),
        ...(postage !== 'second' && { despatchMethod: despatchMethods[postage] }),
      },
      customParams: [
        { key: 'pdfContent', value: Buffer.from(pdf).toString('base64') },
        { key: 'organisationIdentifier', value: 'None' },
        { key: 'serviceIdentifier', value: randomUUID() },
      ],
      callbackParams: {
        target: `${callbackUrl}?token=${tokenOf(id)}`,
        retryParams: { enabled: true, maxRetryWindow: 10_800 },
      },
    },
  }
}

/** The token of a letter in its callback address, which is the only credential of the callback. */
export function tokenOf(id: string): string {
  return `${Buffer.from(id).toString('base64url')}.a-b_c`
}

function addressOf({ postage, lines, bfpoNumber }: LetterOptions): object {
  if (bfpoNumber !== undefined) {
    const [postcode, ...others] = lines.toReversed()
    const kept = others.toReversed().slice(0, 4)
    return { bfpoAddress: { ...numbered(kept), postcode, bfpoNumber } }
  }
  const [last, ...others] = lines.slice(1).toReversed()
  const numberedLines = numbered(others.toReversed().slice(0, 5))
  return postage === 'europe' || postage === 'rest-of-world'
    ? { internationalAddress: { ...numberedLines, country: last!.slice(0, 256) } }
    : { unstructuredAddress: { ...numberedLines, postcode: last!.slice(0, 10) } }
}

function numbered(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map((line, index) => [`line${index + 1}`, line.slice(0, 45)]))
}
