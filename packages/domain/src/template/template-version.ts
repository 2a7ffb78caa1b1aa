/** A version of a template as contracts name it: `renewal@3`. */
export type TemplateVersion = { template: string; version: number }

const name = /[a-z0-9][a-z0-9-]{0,62}/.source
/** The name of a template: as a folder may have it. */
export const templateNamePattern = new RegExp(`^${name}$`)
const versionPattern = new RegExp(`^(${name})@([1-9]\\d{0,5})$`)

/** Returns undefined for a text that is not of the form `renewal@3`. */
export function parseTemplateVersion(text: string): TemplateVersion | undefined {
  const parts = versionPattern.exec(text)
  return parts ? { template: parts[1]!, version: Number(parts[2]) } : undefined
}

export function renderTemplateVersion({ template, version }: TemplateVersion): string {
  return `${template}@${version}`
}
