// Prepares the tree for every npm script. It imports nothing before it knows that this Node can: an old one would fail
// with a stack instead of one line.
const nodeMajorMin = 18

if (Number.parseInt(process.versions.node, 10) < nodeMajorMin) {
  console.error(
    `Despatch requires Node.js ${nodeMajorMin} or later, and this is ${process.versions.node}: install one from https://nodejs.org`,
  )
  process.exitCode = 1
} else {
  void import('./install.mjs')
}
