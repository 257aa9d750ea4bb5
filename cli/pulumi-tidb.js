#!/usr/bin/env node
"use strict";

// Not built, so that npm can link it when it installs a clone.
const { "bin/start.ts": start, "bin/pulumi-tidb.ts": command } = require("./dist/command.js");

start().start(command);
