import { existsSync, readFileSync } from 'node:fs'
import { inkBelow } from '@despatch/documents/preflight/ink'
import { dotsPerInch } from '@despatch/documents/preflight/inspect-pages'
import { describeAreas, describeSpan } from '@despatch/documents/preflight/sentences'
import type { Rectangle } from '@despatch/domain/preflight/finding'
import {
  newestRuleSetId,
  type ReservedStrip,
  type RuleSet,
  ruleSets,
} from '@despatch/domain/preflight/rule-set'
import { type RuleId, rules } from '@despatch/domain/preflight/rules'
import { refusedFixtures } from '../../packages/documents/test/preflight-fixtures.ts'
import { unsafePdfs } from '../../packages/documents/test/unsafe-pdfs.ts'
import { markdownTable } from './markdown-table.ts'
import { proofFindings, proofPath } from './preflight-proof.ts'

const fixturesNamedMax = 3

const root = new URL('../../', import.meta.url)
const documents = 'packages/documents'
const pageFixtures = `${documents}/test/preflight-fixtures.ts`
const unsafeFixtures = `${documents}/test/unsafe-pdfs.ts`
const files = `${documents}/src/file-findings.test.ts`
const images = `${documents}/src/images/inspect-image.test.ts`
const addresses = `${documents}/src/address-block.test.ts`

/** Where a rule is demonstrated if its fixtures are made in its test. */
const tests: Partial<Record<RuleId, string>> = {
  'file-empty': files,
  'file-too-large': files,
  'file-kind': files,
  'file-truncated': files,
  'file-polyglot': files,
  'file-infected': files,
  'file-missing': files,
  'image-damaged': images,
  'image-too-large': images,
  'pages-max': `${documents}/src/pages-limit.test.ts`,
  'supplied-file': `${documents}/src/supplied-file.test.ts`,
  'address-character': addresses,
  'address-empty': addresses,
}

/** Returns docs/preflight.md: every rule, the numbers of every rule set, and an example of a refusal. */
export async function describePreflight(): Promise<string> {
  const sets: readonly RuleSet[] = Object.values(ruleSets)
  return `# Preflight: what a letter is checked for

<!-- Written by \`npm run docs\` from packages/domain/src/preflight and the fixtures of packages/documents: change it there. -->

Every file is checked as a file (P1nn), as a PDF (P2nn) or an image (P3nn), page by page as a factory prints it (P4nn); the
letter is checked as a whole (P5nn). What breaks a rule is a finding. One that refuses rejects the print job; a note is
told and nothing more.

Findings are told

- in the job's \`comment\`, and so in its callback: the sentence of the first finding that refuses;
- in the job's timeline, \`GET …/jobs/{jobId}/events\`: all of them;
- in its proof, \`GET …/jobs/{jobId}/proof.pdf\` and \`GET …/jobs/{jobId}/proof/{page}.png\`: drawn on the pages, also of a
  rejected job;
- in the answer to \`POST …/jobs/validate\`, which takes the body of a submission, saves nothing and checks the same.

A finding names the rule, the file and the page, and where it can the place, what was measured and what is allowed. Places
are millimetres from the top left of the page as it is read:

\`\`\`json
${JSON.stringify((await proofFindings())[0], undefined, 2)}
\`\`\`

![A proof: the page with its edge, the printable areas, the address window, the strips kept for marks, and each finding framed with the number of its rule](${proofPath.replace('docs/', '')})

## Rules

${markdownTable(['number', 'rule', 'what must hold', 'shown by'], await listRules())}

The fixtures are made by the project's own scripts and each breaks its rule alone:
[${pageFixtures}](../${pageFixtures}), [${unsafeFixtures}](../${unsafeFixtures}) and the tests that are named.

## Rule sets

A contract names its rule set; \`${newestRuleSetId}\` is what a contract has that names none. A rule set never changes once
it is out: other numbers are a rule set with another date. All lengths are millimetres, areas are left–right × top–bottom.

${markdownTable(['', ...sets.map(({ id }) => `\`${id}\``)], listNumbers(sets))}

On a page that somebody else made, marks in a strip or in our address window are told by P406 or P404, not again by P403. The
window is checked for hidden content on the page that is seen through it. A strip that is kept for our insertion mark is
checked only where we print marks. A page that is not A4 is told as such (P401) and not checked further.

## How pages are looked at

Pages are rendered by PDFium (WebAssembly, without network and files, at most 256 MiB) as they print: turned as they say, cut
to their crop box, with annotations and form fields, at ${dotsPerInch} dots per inch. A dot with a colour channel below ${inkBelow} of 255 is ink.
Measured lengths are right within 0.3 mm, most within 0.15 mm. A PDF that cannot be rendered is refused (P201, P202, P209),
as is one in which PDFium and pdf-lib find different numbers of pages.
`
}

async function listRules(): Promise<string[][]> {
  const unsafe = Object.entries(await unsafePdfs())
  return Object.entries(rules).map(([id, { number, says }]) => {
    const fixtures = [
      ...refusedFixtures.filter(({ found }) => found.some(({ rule }) => rule === id)),
      ...unsafe.filter(([, { rule }]) => rule === id).map(([name]) => ({ name })),
    ].map(({ name }) => name)
    return [number, `\`${id}\``, says, listFixtures(id as RuleId, fixtures)]
  })
}

function listFixtures(rule: RuleId, fixtures: readonly string[]): string {
  if (fixtures.length > 0) {
    const named = fixtures.slice(0, fixturesNamedMax).join('; ')
    return fixtures.length > fixturesNamedMax ? `${named}; and others` : named
  }
  const test = tests[rule]
  if (!test) throw new Error(`no fixture shows ${rule}`)
  const file = new URL(test, root)
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes(`'${rule}'`)) {
    throw new Error(`${test} does not show ${rule}`)
  }
  return `[${test.split('/').at(-1)}](../${test})`
}

function listNumbers(sets: readonly RuleSet[]): string[][] {
  const row = (name: string, cell: (ruleSet: RuleSet) => string) => [name, ...sets.map(cell)]
  return [
    row('A4 portrait, 210 × 297, within (P401)', ({ sizeTolerance }) => `${sizeTolerance}`),
    row('printable, first page (P403)', ({ firstPageAreas }) => listAreas(firstPageAreas)),
    row('printable, other pages (P403)', ({ otherPageAreas }) => listAreas(otherPageAreas)),
    row('address window (P404, P405)', ({ addressWindow }) => describeSpan(addressWindow)),
    row('kept for our insertion mark (P406)', ({ reservedStrips }) =>
      listStrips(reservedStrips, 'insertion-mark'),
    ),
    row('kept for the factory (P406)', ({ reservedStrips }) =>
      listStrips(reservedStrips, 'factory'),
    ),
    row('tolerance of these places', ({ areaTolerance }) => `${areaTolerance}`),
    row('told, not refused', ({ judgements }) => listJudged(judgements, 'note')),
    row('left alone', ({ judgements }) => listJudged(judgements, 'off')),
  ]
}

function listAreas(areas: readonly Rectangle[]): string {
  const spans = areas.map(describeSpan).join('; ')
  return areas.length === 1 ? `${spans} (${describeAreas(areas)})` : spans
}

function listStrips(strips: readonly ReservedStrip[], keptFor: ReservedStrip['keptFor']): string {
  const listed = strips.filter((strip) => strip.keptFor === keptFor)
  if (listed.length === 0) return 'none'
  const pages = listed[0]!.pages === 'first' ? 'first page' : 'every page'
  return `${pages}: ${listed.map(describeSpan).join('; ')}`
}

function listJudged(judgements: RuleSet['judgements'], judgement: 'note' | 'off'): string {
  const judged = Object.entries(judgements).filter(([, each]) => each === judgement)
  return judged.map(([rule]) => rules[rule as RuleId].number).join(', ') || 'none'
}
