import { readdirSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TemplateVersionResponse } from '@despatch/contracts/administration/template'
import {
  parseTemplateVersion,
  templateNamePattern,
} from '@despatch/domain/template/template-version'
import type { CheckedLetter } from '@despatch/templates/check-template'
import { type Language, languages } from '@despatch/templates/language'
import type { Template } from '@despatch/templates/read-template'
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { countOf } from '../count-of.ts'
import { Failure, wrongUsage } from '../failure.ts'
import { forRoles } from '../operation.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { type Columns, renderRows } from '../table.ts'
import { pageOptions, parseWholeNumber } from './option.ts'

type PreviewOptions = {
  sample?: string
  language?: readonly Language[]
  out?: string
  watch?: true
  port: number
}

/**
 * Adds the commands for templates of letters. Those that make, check and preview a folder require neither Despatch nor a
 * sign-in.
 */
export function addCommands(parts: Parts): void {
  const { program, context } = parts
  const templates = program.command('templates').description('templates of letters')
  const isJson = () => Boolean(program.opts<{ json?: boolean }>().json)

  templates
    .command('init <folder>')
    .description('makes a folder with a template to start from')
    .addOption(
      new Option(
        '--from <example>',
        'a template that people would send; default: a short one',
      ).choices(readdirSync(examples).sort()),
    )
    .action(async (folder: string, { from }: { from?: string }) => {
      const path = resolve(folder)
      await copyTemplate(from ? join(examples, from) : starter, path)
      const next = `npx despatch templates preview ${folder} --watch`
      context.print(isJson() ? JSON.stringify({ folder: path }) : `Made ${path}.\nNext: ${next}`)
    })

  templates
    .command('check <folder>')
    .description('typesets each sample and the extremes of the fields, and checks the letters')
    .addHelpText('after', helpAboutChecks)
    .action(async (folder: string) => {
      const { checked } = await check(resolve(folder), context)
      const isSound = checked.every(({ refusals }) => refusals.length === 0)
      context.print(
        isJson() ? JSON.stringify({ letters: checked }, null, 2) : renderChecked(checked),
      )
      if (!isSound) context.endWith(1)
    })

  templates
    .command('preview <folder>')
    .description('typesets one sample, as a PDF or in the browser')
    .option('--sample <name>', 'the sample; default: the first one')
    .addOption(
      new Option(
        '--language <languages>',
        'such as en, or cy,en for one letter in both; default: the first of the template',
      ).argParser(parseLanguages),
    )
    .option('--out <file>', 'the PDF; default: <folder>-preview.pdf beside the folder')
    .option('--watch', 'show it in the browser, again after each change of a file, until Ctrl-C')
    .option('--port <number>', 'port for --watch; default: a free one', parseWholeNumber, 0)
    .action(async (folder: string, options: PreviewOptions, _command: Command) => {
      const path = resolve(folder)
      const { previewOnce, watchPreview } = await import('../templates/preview.ts')
      if (options.watch) return watchPreview(path, options, context)
      const out = resolve(options.out ?? `${path}-preview.pdf`)
      const { pdf, remarks } = await previewOnce(path, options)
      await writeFile(out, pdf)
      context.print(
        isJson() ? JSON.stringify({ out, remarks }, null, 2) : [...remarks, out].join('\n'),
      )
    })

  addPublished(templates, parts, isJson)
}

type PublishOptions = { name?: string; pictures: boolean }

/** Adds the commands for published templates. */
function addPublished(templates: Command, parts: Parts, isJson: () => boolean): void {
  const { run, context } = parts
  const add = addingTo(templates, parts)

  templates
    .command('publish <folder>')
    .description(
      forRoles(
        'publishTemplate',
        'checks a template and publishes it as its next version, which contracts can name',
      ),
    )
    .option('--name <name>', 'name of the template; default: that of the folder')
    .option('--no-pictures', 'do not compare the pages with those of the version before')
    .addHelpText('after', helpAboutPublishing)
    .action(async (given: string, { name, pictures }: PublishOptions) => {
      const folder = resolve(given)
      const named = name ?? basename(folder)
      if (!templateNamePattern.test(named)) {
        throw wrongUsage(`${named} is no name of a template: give --name, such as renewal`)
      }
      const { template, checked } = await check(folder, context)
      if (checked.some(({ refusals }) => refusals.length > 0)) {
        context.print(
          isJson() ? JSON.stringify({ letters: checked }, null, 2) : renderChecked(checked),
        )
        throw new Failure('letters of the template would be refused: nothing was published', {
          exitCode: 1,
        })
      }
      const { publishFolder } = await import('../templates/publish-folder.ts')
      await run((session) => publishFolder(session, { name: named, folder, template, pictures }))
    })

  add({
    usage: 'list',
    operation: 'listTemplates',
    route: 'GET /templates',
    does: 'lists the newest version of each published template',
    text: ({ templates }) =>
      renderRows(templates, {
        ...versionColumns,
        contracts: 'contractCount',
      } satisfies Columns<(typeof templates)[number]>),
  })

  add({
    usage: 'versions <name>',
    operation: 'listTemplateVersions',
    route: 'GET /templates/:name/versions',
    does: 'lists the versions of a published template and the contracts that name them',
    options: pageOptions(),
    text: ({ versions }) =>
      renderRows(versions, {
        ...versionColumns,
        contracts: ({ contracts }) =>
          contracts
            .map(
              ({ userName, jobType, templateReference }) =>
                `${userName}:${jobType}:${templateReference}`,
            )
            .join(', '),
      } satisfies Columns<(typeof versions)[number]>),
  })

  templates
    .command('get <template> <folder>')
    .description('writes the files of a published version to a new folder')
    .action(async (template: string, given: string) => {
      if (!parseTemplateVersion(template)) {
        throw wrongUsage(`${template} is no version of a template, such as renewal@3`)
      }
      const folder = resolve(given)
      const [{ filesOf }, { saveFiles }] = await Promise.all([
        import('../templates/publish-folder.ts'),
        import('../templates/save-files.ts'),
      ])
      await run(async (session) => {
        const files = await filesOf(session, template)
        await saveFiles(folder, files)
        const document = { template, folder, files: files.map(({ path }) => path) }
        return {
          document,
          text: `Wrote ${countOf(files.length, 'file')} of ${template} to ${folder}.`,
        }
      })
    })
}

type ListedVersion = Pick<
  TemplateVersionResponse,
  | 'template'
  | 'title'
  | 'languages'
  | 'publishedAt'
  | 'publishedBy'
  | 'publishedByUserName'
  | 'isOfThisRelease'
>

const versionColumns = {
  template: 'template',
  title: 'title',
  languages: 'languages',
  published: 'publishedAt',
  by: ({ publishedByUserName, publishedBy }) => publishedByUserName ?? publishedBy,
  'checked by': ({ isOfThisRelease }) => (isOfThisRelease ? 'this release' : 'another release'),
} satisfies Columns<ListedVersion>

const helpAboutPublishing = `
If the content is that of the newest version, nothing is published. Otherwise each page of each sample is compared with that of
the version before, and a folder with both pages side by side is written beside the folder, such as renewal-2-to-3.

Exit code 1: a letter would be refused, or Despatch refused to publish.`

const helpAboutChecks = `
Each language is checked, and one letter in all of them. The samples are the files in samples/. The extremes are the
shortest and the longest values that fields.json allows. Each letter must compile, pass preflight with its address in the
window, and be an accessible PDF (PDF/UA-1).

Exit code 1: a letter would be refused.`

const starter = fileURLToPath(import.meta.resolve('@despatch/templates/starter'))
const examples = fileURLToPath(import.meta.resolve('@despatch/templates/examples'))

async function copyTemplate(from: string, path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await mkdir(path)
    await cp(from, path, { recursive: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'EEXIST' ? 'exists already' : `cannot be made (${code})`
    throw new Failure(`${path} ${why}`, { exitCode: 1, cause: error })
  }
}

/** Languages in the order in which they are printed, each once. */
function parseLanguages(text: string): readonly Language[] {
  const chosen = text.split(',')
  const known = chosen.map((each) => languages.find((language) => language === each))
  if (!known.every((each) => each !== undefined) || new Set(chosen).size < chosen.length) {
    throw new InvalidArgumentError(`It must be of ${languages.join(', ')}, each once.`)
  }
  return known
}

async function check(
  path: string,
  { note, canDraw }: CommandContext,
): Promise<{ template: Template; checked: CheckedLetter[] }> {
  const [{ startTypesetters }, { openTemplate }, { checkTemplate }, { makersWith }] =
    await Promise.all([
      import('@despatch/templates/typesetters'),
      import('../templates/open-template.ts'),
      import('@despatch/templates/check-template'),
      import('../templates/makers.ts'),
    ])
  const template = await openTemplate(path)
  const typesetters = startTypesetters({ processesMax: 1 })
  try {
    const checked = await checkTemplate(
      makersWith(typesetters),
      template,
      ({ values, languages }) => {
        if (canDraw) note(`${basename(path)}: ${values} (${languages})`)
      },
    )
    return { template, checked }
  } finally {
    typesetters.close()
  }
}

function renderChecked(checked: readonly CheckedLetter[]): string {
  const table = renderRows(checked, {
    values: 'values',
    language: ({ languages }) => languages.join(','),
    pages: ({ pages }) => pages ?? '-',
    result: ({ refusals }) => (refusals.length === 0 ? 'sound' : 'refused'),
  })
  const remarks = checked.flatMap(({ values, languages, refusals, notes }) =>
    [...refusals, ...notes].map((remark) => `${values} (${languages}): ${remark}`),
  )
  return [table, ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n')
}
