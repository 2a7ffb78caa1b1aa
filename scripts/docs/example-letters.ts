import { inspectPages } from '@despatch/documents/preflight/inspect-pages'
import { newestRuleSetId, ruleSets } from '@despatch/domain/preflight/rule-set'
import {
  aPdfThatDraws,
  draw,
  type PageSpec,
} from '../../packages/documents/test/preflight-fixtures.ts'

type Example = {
  pages: readonly PageSpec[]
  /** The rules that refuse the letter, each with its page. Empty for a letter that is printed. */
  refusals: readonly string[]
}

const text = (top: number, ...lines: string[]) =>
  lines.map((line, index) => draw.text(20, top + index * 6, line, { size: 11 }))
const end = ['', 'Yours sincerely', '', 'Example Agency']

const examples: Readonly<Record<string, Example>> = {
  'docs/examples/letter.pdf': {
    pages: [
      {
        draws: text(
          40,
          'Dear Ms Example',
          '',
          'This is an example of a letter. Despatch checks it, adds a page with your address,',
          'and hands both to a print factory, which posts them in one envelope.',
          ...end,
        ),
      },
    ],
    refusals: [],
  },
  'docs/examples/letter-with-address.pdf': {
    pages: [
      {
        draws: [
          ...['Ms Ada Example', '1 High Street', 'Anytown', 'AB1 2CD'].map((line, index) =>
            draw.text(24, 50 + index * 5, line, { size: 11 }),
          ),
          ...text(
            110,
            'Dear Ms Example',
            '',
            'This is an example of a letter that has its address already. Despatch checks it,',
            'and a print factory prints it as supplied.',
            ...end,
          ),
        ],
      },
    ],
    refusals: [],
  },
  'docs/examples/letter-landscape.pdf': {
    pages: [
      {
        draws: text(
          110,
          'Dear Ms Example',
          '',
          'The second page of this letter is landscape.',
          ...end,
        ),
      },
      {
        size: [297, 210],
        draws: text(40, 'Despatch refuses this page: a letter is printed in portrait.'),
      },
    ],
    refusals: ['page-size on page 2'],
  },
}

/**
 * Returns the letters of the examples, by path: one for a contract of letters, one that is printed as supplied, and one
 * that is refused. Throws if preflight judges one otherwise.
 */
export async function drawExampleLetters(): Promise<Record<string, Buffer>> {
  const drawn = Object.entries(examples).map(async ([path, { pages, refusals }]) => {
    const pdf = await aPdfThatDraws(...pages)
    const findings = await inspectPages(pdf, {
      fileId: 'letter',
      part: 'supplied',
      marks: true,
      ruleSet: ruleSets[newestRuleSetId],
    })
    const refused = findings
      .filter(({ severity }) => severity === 'refusal')
      .map(({ rule, page }) => `${rule} on page ${page}`)
    if (refused.join() !== refusals.join()) throw new Error(`${path} is refused: ${refused}`)
    return [path, Buffer.from(pdf)] as const
  })
  return Object.fromEntries(await Promise.all(drawn))
}
