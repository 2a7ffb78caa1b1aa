import type { TemplateVersionResponse } from '@despatch/contracts/administration/template'
import { Chip } from '../parts/chips.tsx'

const languages: Readonly<Record<string, string>> = { en: 'English', cy: 'Welsh' }

export function languageName(code: string): string {
  return languages[code] ?? code
}

/** Whether the release that makes its letters has checked a version. */
export function checkedBy({ isOfThisRelease }: Pick<TemplateVersionResponse, 'isOfThisRelease'>) {
  return (
    <Chip
      look={
        isOfThisRelease
          ? ['despatched', 'ok', 'This release']
          : ['alert', 'warn', 'Another release: publish it again']
      }
    />
  )
}
