import { expect, test } from 'vitest'
import { safeName } from './evidence-files.ts'

test.each([
  ['photo', 'image/png', 'photo.png'],
  ['letter.PDF', 'application/pdf', 'letter.PDF'],
  ['../../etc/passwd', 'application/pdf', 'etc_passwd.pdf'],
  ['/etc/passwd', null, 'etc_passwd'],
  ['..\\..\\boot.ini', 'image/bmp', 'boot.ini.bmp'],
  ['a\u0000b\nc', null, 'a_b_c'],
  ['..', 'image/gif', 'file.gif'],
  ['=HYPERLINK("x")', null, 'HYPERLINK_x_'],
  ['名前', 'image/jpeg', 'file.jpg'],
  ['x'.repeat(255), 'image/tiff', `${'x'.repeat(60)}.tif`],
])('the file %j of %s is named %s', (fileId, mediaType, name) => {
  expect(safeName(fileId, mediaType)).toBe(name)
})
