import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { renderFields } from './table.ts'

/**
 * Returns the version of the system, from its manifest in the given folder, and the versions of its interfaces, as a text
 * or as one JSON document.
 */
export function describeVersions(root: string, isJson: boolean): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (isJson) return JSON.stringify({ version, interfaces: interfaceVersions }, null, 2)
  return `despatch ${version}\n${renderFields(interfaceVersions)}`
}
