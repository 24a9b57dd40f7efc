#!/usr/bin/env node
// Old syntax on purpose: any Node from 12 on can read this far and say which Node is needed.
'use strict'
var wanted = [22, 19]
var found = process.versions.node.split('.').map(Number)
if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  process.stderr.write(
    'dsh-browser-control needs Node ' + wanted.join('.') + ' or newer; this is Node ' + process.versions.node + ' (' + process.execPath + ').\n',
  )
  process.exitCode = 1
} else {
  import('../lib/cli.js').catch(function (error) {
    process.stderr.write((error && error.stack) + '\n')
    process.exitCode = 1
  })
}
