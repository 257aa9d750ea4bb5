import { servePlugin } from "./servePlugin";
import { tlsProvider } from "./tlsProvider";

void servePlugin(
    tlsProvider(() => new Date()),
    "5.0.0",
);
