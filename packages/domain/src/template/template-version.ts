/** A version of a template as contracts name it: `renewal@3`. */
export type TemplateVersion = { template: string; version: number }

/** The name of a template: as a folder may have it. */
export const templateNamePattern = /^[a-z0-9][a-z0-9-]{0,62}$/
const versionPattern = /^([a-z0-9][a-z0-9-]{0,62})@([1-9]\d{0,5})$/

/** Returns undefined for a text that is not of the form `renewal@3`. */
export function parseTemplateVersion(text: string): TemplateVersion | undefined {
  const [, template, version] = versionPattern.exec(text) ?? []
  return template === undefined ? undefined : { template, version: Number(version) }
}

export function renderTemplateVersion({ template, version }: TemplateVersion): string {
  return `${template}@${version}`
}
