import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Sources whose rules are tested together, and the tests that have to find each change of them. */
export type Area = { name: string; sources: string[]; tests: string[]; target: number }

const domain = 'packages/domain/src'
/** Percent of mutants that tests have to find. */
const targets = { domain: 90, other: 80 }

/** Decisions outside the domain: files that have no effects, and say what others do. */
const decisions: Record<string, string[]> = {
  work: ['packages/work/src/{choose-batches,give-up,marks,time-share}.ts'],
  store: [
    'packages/store/src/{callback/settled-positions,group-commit,group-lookup,read-ahead}.ts',
  ],
  callbacks: [
    'services/callbacks/src/delivery/{deliver,delivery-loop,origin-calls,signing,turns}.ts',
  ],
  pipeline: ['services/pipeline/src/{print-job/{predefined-outcome,retry},stages/quarantine}.ts'],
  intake: ['services/print-request/src/{callback,print-job}/plan-*.ts'],
  access: [
    'packages/access/src/{check-budget,expiry,password-turns,usage-decision,usage-tally}.ts',
  ],
  http: ['packages/http/src/{admission,limit-sources,shed-load,usage-limit}.ts'],
}

/** Returns all areas: a folder of the domain each, and the decisions of other packages. */
export function listAreas(root: string): Area[] {
  const folders = readdirSync(join(root, domain), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  const ofDomain = folders.map((folder) => ({
    name: `domain/${folder}`,
    sources: [`${domain}/${folder}/**/*.ts`],
    tests: [`${domain}/${folder}/**/*.test.ts`],
    target: targets.domain,
  }))
  const others = Object.entries(decisions).map(([name, sources]) => ({
    name,
    sources,
    tests: [`${sources[0]!.replace(/\/src\/.*/, '/src')}/**/*.test.ts`],
    target: targets.other,
  }))
  return [...ofDomain, ...others]
}

/** Returns the areas that a run does: those whose name begins with one of `chosen`, and of these every `parts`th. */
export function chooseAreas(
  areas: readonly Area[],
  { chosen, part, parts }: { chosen: readonly string[]; part: number; parts: number },
): Area[] {
  return areas
    .filter(({ name }) => chosen.length === 0 || chosen.some((each) => name.startsWith(each)))
    .filter((_, index) => index % parts === part - 1)
}
