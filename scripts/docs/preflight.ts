import { existsSync, readFileSync } from 'node:fs'
import { type ListItem, markdownList, wrap } from '@despatch/cli/markdown'
import { taskLimits } from '@despatch/composer/task-limits'
import { checkBudgetSettings, checkSettings } from '@despatch/config/shared-settings'
import * as image from '@despatch/documents/images/image-limits'
import { pdfLimits } from '@despatch/documents/pdf-safety/pdf-limits'
import { inkBelow } from '@despatch/documents/preflight/ink'
import { dotsPerInch } from '@despatch/documents/preflight/inspect-pages'
import { describeAreas, describeSpan } from '@despatch/documents/preflight/sentences'
import { choosableRules } from '@despatch/domain/preflight/contract-choice'
import { notesCharactersMax, type Rectangle } from '@despatch/domain/preflight/finding'
import {
  newestRuleSetId,
  type ReservedStrip,
  type RuleSet,
  ruleSets,
} from '@despatch/domain/preflight/rule-set'
import { type RuleId, rules } from '@despatch/domain/preflight/rules'
import { refusedFixtures } from '../../packages/documents/test/preflight-fixtures.ts'
import { unsafePdfs } from '../../packages/documents/test/unsafe-pdfs.ts'
import { proofFindings, proofPath } from './preflight-proof.ts'

const fixturesNamedMax = 3

const root = new URL('../../', import.meta.url)
const documents = 'packages/documents'
const pageFixtures = `${documents}/test/preflight-fixtures.ts`
const unsafeFixtures = `${documents}/test/unsafe-pdfs.ts`
const files = `${documents}/src/file-findings.test.ts`
const images = `${documents}/src/images/inspect-image.test.ts`
const annotations = `${documents}/src/as-printed/flatten-annotations.test.ts`
const times = 'packages/composer/src/too-complex.test.ts'
const terms = `${documents}/src/contract-terms.test.ts`
const addresses = `${documents}/src/address-block.test.ts`
const inlineFiles = 'services/print-request/src/print-job/take-inline-files.test.ts'
const members = 'packages/contracts/src/print-request/unknown-members.test.ts'
const addressNotes = 'packages/domain/src/address/address-findings.test.ts'
const abroadNotes = 'packages/domain/src/address/abroad.test.ts'

/** The numbers of rules whose findings are notes, unless a contract or a rule set refuses them. */
const noted: ReadonlySet<string> = new Set([
  ...choosableRules,
  rules['unknown-member'].number,
  rules['unreadable-file'].number,
  rules['long-base64'].number,
  rules['letter-without-file'].number,
  rules['annotation-undrawn'].number,
  rules['font-not-embedded'].number,
])

/** Where a rule is demonstrated if its fixtures are made in its test. */
const tests: Partial<Record<RuleId, string>> = {
  'unknown-member': members,
  'unreadable-file': inlineFiles,
  'long-base64': inlineFiles,
  template: 'services/pipeline/test/letters-from-templates.component.test.ts',
  'letter-without-file': 'services/print-request/src/print-job/plan-submission.test.ts',
  'file-empty': files,
  'file-too-large': files,
  'file-kind': files,
  'file-truncated': files,
  'file-polyglot': files,
  'file-infected': files,
  'file-missing': files,
  'file-time': times,
  'field-undrawn': annotations,
  'annotation-undrawn': annotations,
  'image-damaged': images,
  'image-too-large': images,
  'pages-max': terms,
  'supplied-file': terms,
  'address-character': addresses,
  'address-empty': addresses,
  'address-left-out': addressNotes,
  'address-cut': addressNotes,
  'address-blank': addressNotes,
  'address-control': addressNotes,
  'address-postcode': addressNotes,
  'address-premise': addressNotes,
  'address-repeated': addressNotes,
  'address-no-abode': addressNotes,
  'address-country': addressNotes,
  'address-town': addressNotes,
  'address-damaged': addressNotes,
  'country-unknown': abroadNotes,
  'class-abroad': abroadNotes,
}

/** Returns docs/preflight.md: every rule, the numbers of every rule set, and an example of a refusal. */
export async function describePreflight(): Promise<string> {
  const sets: readonly RuleSet[] = Object.values(ruleSets)
  const listed = await listRules()
  return `# Preflight: what a letter is checked for

<!-- Written by \`npm run docs\`. Change packages/domain/src/preflight, or the fixtures of packages/documents. -->

Despatch checks the request (P0nn), every file as a file (P1nn), as a PDF (P2nn) or an image (P3nn), and page by page as
a factory prints it (P4nn). It checks the letter as a whole (P5nn). Each breach of a rule is a finding. A refusal
rejects the print job; a note is only reported.

Findings are reported

- in the job's \`comment\`, and in the callback of the same change of status: the sentence of the first finding that
  refuses; of an accepted job, the notes about the letter and its address, each with its number
  (\`P503: country is not printed…\`). Notes about files are left out. Beyond ${notesCharactersMax} characters whole
  notes are left out and counted (\`And 2 more.\`);
- in \`warnings\` of the 202, those of the request;
- in the job's timeline, \`GET …/jobs/{jobId}/events\`: all of them;
- in its proof, \`GET …/jobs/{jobId}/proof.pdf\` and \`GET …/jobs/{jobId}/proof/{page}.png\`: drawn on the pages, also for
  a rejected job;
- in the response to \`POST …/jobs/validate\`, which accepts the body of a submission, makes the same checks and saves
  nothing.

A finding names the rule, the file and the page and, where possible, the place, the measured value and the allowed
value. Places are in millimetres from the top left of the page as it is read:

\`\`\`json
${JSON.stringify((await proofFindings())[0], undefined, 2)}
\`\`\`

${wrap(`![A proof: the page with its edge, the printable areas, the address window, the strips kept for marks, and each
finding framed with the number of its rule](${proofPath.replace('docs/', '')})`)}

## Rules

Below each rule are the fixtures or the test that break it. The project's scripts generate the fixtures, and each
fixture breaks only its rule: [preflight-fixtures.ts](../${pageFixtures}) and
[unsafe-pdfs.ts](../${unsafeFixtures}).

${groups.map((group) => describeGroup(group, listed)).join('\n\n')}

## What a contract refuses

${wrap(`The findings of ${choosableRules.at(0)} to ${choosableRules.at(-1)} are notes by default: the letter is printed.
A contract can refuse them instead, rule by rule (\`refusedRules\`, \`contracts add … --refuse-rule P503\`) or all
(\`strict\`, \`--strict\`). The dry run, the pipeline and the correction of an address apply the same choice. The address of a letter that is printed as supplied is not checked,
because it is part of the file, except its country and its class (P514, P515). [Addresses](addresses.md) describes what is printed and reported,
and which ordinary letters a strict contract can refuse.`)}

${wrap(`A letter that is in flight when its contract changes is judged by the rules at the time of its check: a letter that was
accepted stays accepted, one that waits in QUARANTINE or VALIDATING may be refused, and a corrected address is judged by
the contract as it is then. \`PUT\` and \`contracts add\` replace all terms: name \`strict\` and \`refusedRules\` again,
or they get the defaults of a new contract.`)}

${wrap(`Findings about the request are refused when it is submitted, with 400, or reported. Three terms of the contract say which:
\`unknownMembers\` (P001), \`unreadableFiles\` (P002) and \`lettersWithoutFile\` (P004). Each is \`report\`,
\`refuse\`, or a day, such as 2027-02-01, from whose beginning in London it refuses. A new contract refuses unreadable
files and reports the others; the one that \`npx despatch init\` makes refuses all three. A request that leaves one of
these terms out keeps the contract's. P003 is always a note. [Values of a print
job](request-values.md#files-in-customparams) describes them.`)}

## Limits

${describeLimits()}

## Rule sets

A contract names its rule set; the default is \`${newestRuleSetId}\`. A published rule set never changes: other numbers
require a rule set with another date. All lengths are in millimetres; areas are left–right × top–bottom.

${sets.map(describeSet).join('\n\n')}

## How print is compared with areas

On a supplied page, P406 or P404 reports print in a reserved strip or in our address window, and P403 does not report it
again. The window is checked for hidden content on the page that shows through it. A strip reserved for our insertion
mark is checked only where we print marks. A page that is not A4 is reported (P401) and not checked further.

## What of a PDF is printed

${markdownList([
  `Annotations and form fields that print (flag Print, not Hidden, not a popup) become content of their page, in order,
each within its layer and fitted into its rectangle as ISO 32000-2, 12.5.5, says. Nothing of the form is left, so every
reader prints the same. Other annotations are removed.`,
  `A field with a value and without an appearance is drawn, in our typeface, and smaller than it says if it would leave
its box. If the form says NeedAppearances, so is a text field or a list whose appearance does not spell its value. What
cannot be drawn is refused: a text of more than 5,000 characters or with one that the typeface lacks, a text longer than
its comb, a comb of more than 5,000 cells, a default appearance of more than 1,000 characters, a barcode or a text box
without an appearance (P211). So is a file whose drawn fields have more than 100,000 characters, each field counted as
at least 20. Other comments without an appearance are noted and not printed (P212). The frame of a link
without an appearance is neither printed nor noted.`,
  `Layers print as they are when the file is opened, or as their print state says. A layer that a page or a form
begins and does not end is ended there, so it hides none of our marks.`,
  `The paper of a page is what its crop box shows, in the unit of the page (UserUnit): the page is printed on A4
without the rest, and no other box of it is left.`,
  `A file that is printed as supplied is printed unchanged. So it must draw its fields itself (P211), and its paper
must be A4, not only its crop box (P401).`,
])}

## How pages are rendered

${wrap(`PDFium (WebAssembly, without network or files, at most 256 MiB) renders pages as they print: with their rotation,
cut to their crop box, with annotations and form fields as above, at ${dotsPerInch} dots per inch. A dot with a colour channel
below ${inkBelow} of 255 is ink. Measured lengths are accurate within 0.3 mm, most within 0.15 mm. A PDF that cannot be
rendered is refused (P201, P202, P209), as is one in which PDFium and pdf-lib find different numbers of pages.`)}
`
}

const count = (number: number) => number.toLocaleString('en-GB')
const mebibyte = 1024 * 1024
const MiB = (bytes: number) => `${count(bytes / mebibyte)} MiB`

/** Lists how much one file may demand, and what happens beyond the limits of time. */
function describeLimits(): string {
  const { fileMs, pageMs, taskMs, memoryBytes } = taskLimits
  const items = [
    `a PDF (P209): ${MiB(pdfLimits.fileBytesMax)}, ${count(pdfLimits.objectsMax)} objects, ${count(pdfLimits.valuesMax)} values, ${count(pdfLimits.pagesMax)} pages, ${pdfLimits.nestingMax} levels of nesting, ${pdfLimits.filtersMax} filters of a stream; decoded, ${MiB(pdfLimits.streamBytesMax)} a stream and ${MiB(pdfLimits.streamsBytesMax)} in all; ${count(pdfLimits.imagePixelsMax)} pixels an image`,
    `a page of a PDF (P210), everything counted as often as it is drawn: ${count(pdfLimits.pageOperatorsMax)} operators, ${count(pdfLimits.pageGroupsMax)} transparency groups and soft masks, ${count(pdfLimits.pageClipsMax)} clipping paths other than rectangles, ${count(pdfLimits.pageDashesMax)} dashes, ${count(pdfLimits.pageTilesMax)} cells of tiling patterns, ${count(pdfLimits.pagePixelsMax)} pixels of images, ${count(pdfLimits.pageAreaMax)} pages filled over each other, ${count(pdfLimits.pageStepsMax)} steps of functions that calculate colours; ${pdfLimits.drawingDepthMax} forms, patterns and glyphs within each other; ${MiB(pdfLimits.contentBytesMax)} of content in a file`,
    `an image (P302): ${count(image.imagePixelsMax)} pixels a frame (BMP ${count(image.bmpPixelsMax)}), ${count(image.imagePixelsTogetherMax)} in all frames of a TIFF, ${count(image.imageSidePixelsMax)} on a side, ${count(image.imageDecodedBytesMax)} bytes decoded, ${image.imageFramesMax} frames of a TIFF or GIF; in a PNG, ${count(image.pngChunksMax)} parts besides its pixels and ${image.pngTextBytesMax / 1024} KiB of compressed texts`,
    `time (P108): ${fileMs / 1000} seconds of processor time for a file, and ${pageMs / 1000} seconds for each of its pages; ${image.imageDecodeSecondsMax} seconds to decode a frame of an image; ${taskMs / 1000} seconds of processor time for a letter`,
    `memory (P209, P302): ${MiB(memoryBytes)} for a letter`,
  ]
  return `${markdownList(items)}

${wrap(`A check that exceeds the time or the memory is ended with its thread. For an hour the process refuses the same file
without another check. Beyond a quarter of a second each, the checks of one consumer share
\`DESPATCH_CHECK_SECONDS_PER_HOUR\` (${checkBudgetSettings.DESPATCH_CHECK_SECONDS_PER_HOUR.parse(undefined)}) over all
processes. If these are used up, dry runs and proofs get 429, and letters with files wait for the next hour. A dry run or
a proof that takes more than \`DESPATCH_CHECK_TIMEOUT_MS\`
(${checkSettings.DESPATCH_CHECK_TIMEOUT_MS.parse(undefined)}) gets 503.`)}`
}

/** The groups of rules, by the first digit of their numbers. */
const groups = [
  ['0', 'The request'],
  ['1', 'Files'],
  ['2', 'PDF files'],
  ['3', 'Images'],
  ['4', 'Pages'],
  ['5', 'The letter'],
] as const

function describeGroup(
  [digit, title]: (typeof groups)[number],
  listed: readonly { number: string; item: ListItem }[],
): string {
  const ofGroup = listed.filter(({ number }) => number[1] === digit)
  return `### ${title}\n\n${markdownList(ofGroup.map(({ item }) => item))}`
}

async function listRules(): Promise<{ number: string; item: ListItem }[]> {
  const unsafe = Object.entries(await unsafePdfs())
  return Object.entries(rules).map(([id, { number, says }]) => {
    const fixtures = [
      ...refusedFixtures.filter(({ found }) => found.some(({ rule }) => rule === id)),
      ...unsafe.filter(([, { rule }]) => rule === id).map(([name]) => ({ name })),
    ].map(({ name }) => name)
    const item = {
      text: `${number} \`${id}\`: ${noted.has(number) ? says.replace(/\.$/, ' (a note by default).') : says}`,
      below: [listFixtures(id as RuleId, fixtures)],
    }
    if (!groups.some(([digit]) => number[1] === digit)) throw new Error(`no group for ${number}`)
    return { number, item }
  })
}

function listFixtures(rule: RuleId, fixtures: readonly string[]): string {
  if (fixtures.length > 0) {
    const named = fixtures.slice(0, fixturesNamedMax).join('; ')
    return `fixtures: ${named}${fixtures.length > fixturesNamedMax ? '; and others' : ''}`
  }
  const test = tests[rule]
  if (!test) throw new Error(`no fixture shows ${rule}`)
  const file = new URL(test, root)
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes(`'${rule}'`)) {
    throw new Error(`${test} does not show ${rule}`)
  }
  return `test: [${test.split('/').at(-1)}](../${test})`
}

function describeSet(set: RuleSet): string {
  const numbers = [
    `A4 portrait, 210 × 297, within (P401): ${set.sizeTolerance}`,
    `printable, first page (P403): ${listAreas(set.firstPageAreas)}`,
    `printable, other pages (P403): ${listAreas(set.otherPageAreas)}`,
    `address window (P404, P405): ${describeSpan(set.addressWindow)}`,
    `reserved for our insertion mark (P406): ${listStrips(set.reservedStrips, 'insertion-mark')}`,
    `reserved for the factory (P406): ${listStrips(set.reservedStrips, 'factory')}`,
    `tolerance of these places: ${set.areaTolerance}`,
    `reported, not refused: ${listJudged(set.judgements, 'note')}`,
    `not checked: ${listJudged(set.judgements, 'off')}`,
  ]
  return `### \`${set.id}\`\n\n${markdownList(numbers)}`
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
