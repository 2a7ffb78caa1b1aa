import type {
  TemplateVersionDetailsResponse,
  TemplateVersionResponse,
  TemplateVersionsResponse,
} from '@despatch/contracts/administration/template'
import type { Template, TemplateFile } from '@despatch/templates/read-template'
import { readTemplate } from '@despatch/templates/read-template'
import { startTypesetters } from '@despatch/templates/typesetters'
import { Failure } from '../failure.ts'
import type { CommandOutput } from '../program.ts'
import type { Session } from '../session.ts'
import { renderRows } from '../table.ts'
import { type ComparedLetter, compareVersions } from './compare-versions.ts'
import { makersWith } from './makers.ts'
import { savePictures } from './save-pictures.ts'

type Publishing = {
  name: string
  folder: string
  template: Template
  /** Whether the pages of the letters are drawn and compared with those of the version before. */
  pictures: boolean
}

/** Publishes a template that was checked, and compares its letters with those of the version before. */
export async function publishFolder(
  session: Session,
  { name, folder, template, pictures }: Publishing,
): Promise<CommandOutput> {
  const newest = await findNewest(session, name)
  const files = template.files.map(({ path, bytes }) => ({
    path,
    content: Buffer.from(bytes).toString('base64'),
  }))
  const path = `/templates/${name}/versions`
  const version = await session.send<TemplateVersionResponse>(
    'POST',
    path,
    { files },
    { isLong: true },
  )
  if (version.template === newest?.template) {
    const text = `${version.template} has the same content. Nothing was published.`
    return { document: { version }, text }
  }
  const published = `Published ${version.template}.`
  if (!pictures || version.version === 1) return { document: { version }, text: published }

  const before = `${name}@${version.version - 1}`
  const read = readTemplate(await filesOf(session, before))
  if ('faults' in read) {
    const text = `${published}\n${before} cannot be compared: this release cannot read it.`
    return { document: { version }, text }
  }
  const letters = await compare(read.template, template)
  const target = `${folder}-${version.version - 1}-to-${version.version}`
  const saved = await savePictures(target, { before, after: version.template }, letters)
  const counts = letters.map(({ before, after, ...letter }) => ({
    ...letter,
    pagesBefore: before.length,
    pagesAfter: after.length,
  }))
  return {
    document: { version, comparedWith: before, letters: counts, pictures: saved },
    text: `${published}\n\n${renderCompared(letters)}\n\nPictures: ${saved}`,
  }
}

async function findNewest(
  session: Session,
  name: string,
): Promise<TemplateVersionResponse | undefined> {
  try {
    const path = `/templates/${name}/versions?limit=1`
    return (await session.send<TemplateVersionsResponse>('GET', path)).versions[0]
  } catch (error) {
    if (error instanceof Failure && error.status === 404) return undefined
    throw error
  }
}

/** Reads the files of a version, such as `renewal@3`. */
export async function filesOf(session: Session, template: string): Promise<TemplateFile[]> {
  const [name, version] = template.split('@')
  const path = `/templates/${name}/versions/${version}?content=true`
  const { files } = await session.send<TemplateVersionDetailsResponse>('GET', path)
  return files.map(({ path, content = '' }) => ({ path, bytes: Buffer.from(content, 'base64') }))
}

async function compare(before: Template, after: Template): Promise<ComparedLetter[]> {
  const typesetters = startTypesetters({ processesMax: 1 })
  try {
    return await compareVersions(makersWith(typesetters), before, after)
  } finally {
    typesetters.close()
  }
}

function renderCompared(letters: readonly ComparedLetter[]): string {
  return renderRows(letters, {
    sample: 'sample',
    language: 'language',
    'pages before': ({ before }) => before.length,
    after: ({ after }) => after.length,
    'pages that differ': ({ differing }) => (differing.length === 0 ? 'none' : differing),
  })
}
