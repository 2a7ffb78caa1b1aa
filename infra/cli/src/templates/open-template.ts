import { readFolder } from '@despatch/templates/read-folder'
import { readTemplate, type Template } from '@despatch/templates/read-template'
import { renderFault, type TemplateFault } from '@despatch/templates/template-fault'
import { Failure } from '../failure.ts'

/** Reads the template in a folder. Throws a Failure that lists what is wrong with its files. */
export async function openTemplate(folder: string): Promise<Template> {
  const read = readTemplate(await filesIn(folder))
  if ('template' in read) return read.template
  throw new Failure(`${folder} is not a template:\n${renderFaults(read.faults)}`, { exitCode: 1 })
}

/** Reads the files of a folder. Throws a Failure if that is not possible. */
export async function filesIn(folder: string) {
  try {
    return await readFolder(folder)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? `there is no folder ${folder}` : message
    throw new Failure(why, { exitCode: 1, cause: error })
  }
}

function renderFaults(faults: readonly TemplateFault[]): string {
  return faults.map((fault) => `  ${renderFault(fault)}`).join('\n')
}
