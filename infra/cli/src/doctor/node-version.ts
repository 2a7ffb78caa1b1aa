import type { Check, Finding } from './finding.ts'

const majorMin = 24

/** Checks the Node that runs this command, and the services if they are started from here. */
export const checkNodeVersion: Check = async () => [judgeNodeVersion(process.versions.node)]

export function judgeNodeVersion(version: string): Finding {
  const subject = 'Node.js'
  const found = `version ${version}`
  if (Number(version.split('.')[0]) >= majorMin) return { subject, state: 'good', found }
  return { subject, state: 'bad', found, mend: `run npm ci, which installs Node.js ${majorMin}` }
}
