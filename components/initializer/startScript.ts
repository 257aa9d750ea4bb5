/**
 * The program of the Job. It is the same for every TidbInitializer: all that differs is in its arguments, so no text of a user becomes part of a
 * program. It can be run again: it logs in with the password that an earlier attempt may have set.
 */
export const startScript = `import argparse
import os
import sys
import time

import MySQLdb
from MySQLdb.constants import CLIENT

ACCESS_DENIED = 1045
# No connection, unknown host, and a connection that ended before TiDB greeted.
NOT_THERE_YET = (2002, 2003, 2005, 2006, 2013)

parser = argparse.ArgumentParser()
parser.add_argument("--host", required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--wait-seconds", type=int, required=True)
parser.add_argument("--permit-host", required=True)
parser.add_argument("--passwords", help="folder with a file for each user")
parser.add_argument("--sql", help="file with SQL statements")
parser.add_argument("--tls", help="folder with ca.crt, tls.crt and tls.key")
parser.add_argument("--tls-no-ca", action="store_true", help="do not verify the certificate of TiDB")
options = parser.parse_args()


def say(text):
    print(text)
    sys.stdout.flush()


def read_passwords():
    passwords = {}
    if options.passwords is not None:
        for user in sorted(os.listdir(options.passwords)):
            if not user.startswith("."):
                with open(os.path.join(options.passwords, user), encoding="utf-8") as file:
                    lines = file.read().splitlines()
                passwords[user] = lines[0] if lines else ""
    return passwords


def connect(password):
    arguments = {
        "host": options.host,
        "port": options.port,
        "user": "root",
        "connect_timeout": 5,
        "charset": "utf8mb4",
        "client_flag": CLIENT.MULTI_STATEMENTS,
    }
    if password != "":
        arguments["passwd"] = password
    if options.tls is not None:
        files = {"cert": "tls.crt", "key": "tls.key"}
        if not options.tls_no_ca:
            files["ca"] = "ca.crt"
        arguments["ssl"] = {name: os.path.join(options.tls, file) for name, file in files.items()}
    return MySQLdb.connect(**arguments)


def log_in(passwords):
    began = time.time()
    said = None
    candidates = [""]
    if passwords.get("root", "") != "":
        candidates.append(passwords["root"])
    while True:
        for password in candidates:
            try:
                connection = connect(password)
                if password != "":
                    say("root has the password of the Secret already")
                return connection
            except MySQLdb.OperationalError as error:
                code = error.args[0]
                if code == ACCESS_DENIED:
                    denied = error
                    continue
                if code not in NOT_THERE_YET or time.time() - began >= options.wait_seconds:
                    raise
                if str(error) != said:
                    said = str(error)
                    say("waiting for TiDB: %s" % said)
                time.sleep(1)
                break
        else:
            say("root has another password than the Secret says, or may not connect from here: %s" % denied)
            sys.exit(1)


def run(connection, statement, arguments=None):
    cursor = connection.cursor()
    cursor.execute(statement, arguments)
    # The results of further statements in the same text. Their errors come with them.
    while cursor.nextset():
        pass
    cursor.close()


passwords = read_passwords()
connection = log_in(passwords)
for user, password in passwords.items():
    if user == "root":
        run(connection, "set password = %s", (password,))
        say("set the password of root")
    else:
        account = (user, options.permit_host, password)
        run(connection, "create user if not exists %s@%s identified by %s", account)
        run(connection, "alter user %s@%s identified by %s", account)
        say("created user %s, or set its password" % user)
if options.sql is not None:
    with open(options.sql, encoding="utf-8") as file:
        run(connection, file.read())
    connection.commit()
    say("ran the SQL statements")
if options.permit_host != "%":
    run(connection, "update mysql.user set Host = %s where User = 'root'", (options.permit_host,))
    say("root may connect from %s only" % options.permit_host)
run(connection, "flush privileges")
connection.commit()
connection.close()
say("initialized")
`;
