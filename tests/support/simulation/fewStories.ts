/** Required by `.mocharc.quick.json`: few random stories, and the same ones each time. A name in the environment has precedence. */
process.env.FC_RUNS ??= "10";
process.env.FC_SEED ??= "20261129";
