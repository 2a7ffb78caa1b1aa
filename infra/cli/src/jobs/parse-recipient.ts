import { wrongUsage } from '../failure.ts'

export type Recipient = {
  recipientName: string
  address: { unstructuredAddress: Record<string, string> }
}

const linesMax = 5

/**
 * Parses `Name, line 1, …, POSTCODE`: a name, one to five lines and a postcode. Throws a Failure that says what is
 * wrong.
 */
export function parseRecipient(text: string): Recipient {
  const parts = text.split(',').map((part) => part.trim())
  const [recipientName = '', ...rest] = parts
  const postcode = rest.pop() ?? ''
  if (rest.length < 1 || rest.length > linesMax || parts.includes('')) {
    throw wrongUsage(
      `--to must be a name, from 1 to ${linesMax} lines and a postcode, separated by commas: "A Person, 1 High Street, Leeds, LS1 1AA"`,
    )
  }
  const lines = Object.fromEntries(rest.map((line, index) => [`line${index + 1}`, line]))
  return { recipientName, address: { unstructuredAddress: { ...lines, postcode } } }
}
