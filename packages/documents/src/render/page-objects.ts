import { type OpenPage, PageFault } from './open-pages.ts'

export type PageObject = { handle: number; type: 'text' | 'path' | 'image' | 'shading' | 'other' }

const types = ['other', 'text', 'path', 'image', 'shading'] as const
const form = 5
/** Limits for objects counted through the forms that a page draws, which may be nested. */
const objectsMax = 200_000
const depthMax = 24

/** Returns every object that a page draws, including those of its forms. Throws if there are too many. */
export function listObjects({ calls, handle }: OpenPage): PageObject[] {
  const objects: PageObject[] = []
  const add = (object: number, depth: number) => {
    const type = calls._FPDFPageObj_GetType(object)
    if (type === form && depth < depthMax) {
      const count = calls._FPDFFormObj_CountObjects(object)
      for (let index = 0; index < count; index++) {
        add(calls._FPDFFormObj_GetObject(object, index), depth + 1)
      }
      return
    }
    if (objects.length === objectsMax)
      throw new PageFault('too-complex', 'a page has too many objects')
    objects.push({ handle: object, type: types[type] ?? 'other' })
  }
  const count = calls._FPDFPage_CountObjects(handle)
  for (let index = 0; index < count; index++) add(calls._FPDFPage_GetObject(handle, index), 0)
  return objects
}
