#!/usr/bin/env node
"use strict";

// Not built, so that npm can link it when it installs a clone.
const { start } = require("./dist/bin/start.js");

start(() => require("./dist/bin/pulumi-tidb.js"));
